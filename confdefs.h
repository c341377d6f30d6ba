/* confdefs.h */
#define PACKAGE_NAME "pilgrim"
#define PACKAGE_TARNAME "pilgrim"
#define PACKAGE_VERSION "0.1.0"
#define PACKAGE_STRING "pilgrim 0.1.0"
#define PACKAGE_BUGREPORT ""
#define PACKAGE_URL ""
