# 1 "sample.h"
typedef int MPI_Datatype;
typedef int MPI_Comm;
typedef int MPI_Request;
typedef long MPI_Aint;
typedef long MPI_Count;
extern int *const MPI_UNWEIGHTED;
enum { MPI_COMBINER_NAMED = 1, MPI_COMBINER_DUP, MPI_COMBINER_CONTIGUOUS };

int MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
              MPI_Comm comm, MPI_Request *request) __attribute__((pointer_with_type_tag(mpi, 1, 3)));
int PMPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request *request) __attribute__((pointer_with_type_tag(mpi, 1, 3)));
# 12 "sample.h"
extern int PMPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status);
int PMPI_Waitall(int, MPI_Request [], MPI_Status *);
int PMPI_Testany(int count, MPI_Request array_of_requests[], int *indx, int *flag, MPI_Status *status);
int PMPI_Gatherv(const void *, int, MPI_Datatype, void *, const int recvcounts[], const int *displs, MPI_Datatype,
                 int root, MPI_Comm comm);
int PMPI_Comm_free(MPI_Comm *comm);
int PMPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                                const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype);
double PMPI_Wtime(void);
int PMPI_Finalize(void);
int PMPIX_Extra(int level, void (*callback)(int, int));
