/* What hwloc needs of libudev, where there is none. */
#include <stddef.h>

void *udev_new(void);
void *udev_unref(void *udev);
void *udev_device_new_from_subsystem_sysname(void *udev, const char *subsystem, const char *name);
void *udev_device_unref(void *device);
const char *udev_device_get_property_value(void *device, const char *key);

void *udev_new(void)
{
    return NULL;
}

void *udev_unref(void *udev)
{
    return udev;
}

void *udev_device_new_from_subsystem_sysname(void *udev, const char *subsystem, const char *name)
{
    (void)subsystem, (void)name;
    return udev;
}

void *udev_device_unref(void *device)
{
    return device;
}

const char *udev_device_get_property_value(void *device, const char *key)
{
    (void)key;
    return device;
}
/* SPDX-License-Identifier: BSD-3-Clause */
