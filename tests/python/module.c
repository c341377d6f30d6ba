/* SPDX-License-Identifier: BSD-3-Clause */
/* Python's module MPI, which has what program.py needs of it. A call's number is its tag. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <mpi.h>

static PyObject *init(PyObject *self, PyObject *arguments)
{
    int provided;
    (void)self, (void)arguments;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    return PyLong_FromLong(provided);
}

static PyObject *init_released(PyObject *self, PyObject *arguments)
{
    int provided;
    (void)self, (void)arguments;
    Py_BEGIN_ALLOW_THREADS MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    Py_END_ALLOW_THREADS return PyLong_FromLong(provided);
}

static PyObject *finalize(PyObject *self, PyObject *arguments)
{
    (void)self, (void)arguments;
    MPI_Finalize();
    Py_RETURN_NONE;
}

static void send(int number)
{
    MPI_Send(NULL, 0, MPI_BYTE, MPI_PROC_NULL, number, MPI_COMM_SELF);
}

/* Without the interpreter's lock. */
static PyObject *call(PyObject *self, PyObject *argument)
{
    (void)self;
    int number = (int)PyLong_AsLong(argument);
    Py_BEGIN_ALLOW_THREADS send(number);
    Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

static PyObject *call_locked(PyObject *self, PyObject *argument)
{
    (void)self;
    send((int)PyLong_AsLong(argument));
    Py_RETURN_NONE;
}

/* Calls a function of Python, from C. */
static PyObject *call_back(PyObject *self, PyObject *function)
{
    (void)self;
    return PyObject_CallNoArgs(function);
}

static PyObject *called;

static void operation(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
    Py_XDECREF(PyObject_CallNoArgs(called));
}

/* Calls a function of Python inside MPI_Reduce_local. */
static PyObject *call_inside(PyObject *self, PyObject *function)
{
    int in = 1, inout = 2;
    MPI_Op op;
    (void)self;
    called = function;
    MPI_Op_create(operation, 1, &op);
    MPI_Reduce_local(&in, &inout, 1, MPI_INT, op);
    MPI_Op_free(&op);
    Py_RETURN_NONE;
}

PyMODINIT_FUNC PyInit_MPI(void)
{
    static PyMethodDef methods[] = {
        {"init", init, METH_NOARGS, NULL},          {"init_released", init_released, METH_NOARGS, NULL},
        {"finalize", finalize, METH_NOARGS, NULL},  {"call", call, METH_O, NULL},
        {"call_locked", call_locked, METH_O, NULL}, {"call_inside", call_inside, METH_O, NULL},
        {"call_back", call_back, METH_O, NULL},     {NULL, NULL, 0, NULL}};
    static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "MPI", NULL, -1, methods, NULL, NULL, NULL, NULL};
    return PyModule_Create(&module);
}
