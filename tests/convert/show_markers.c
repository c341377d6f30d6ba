/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the markers of an OTF2 archive, which otf2-print does not show: location, time, text. */
#include <stdio.h>
#include <string.h>

#include <otf2/otf2.h>

static OTF2_CallbackCode show(void *data, uint64_t ns, uint64_t took, OTF2_MarkerRef marker, OTF2_MarkerScope scope,
                              uint64_t of, const char *text)
{
    (void)data, (void)took, (void)marker;
    if (scope != OTF2_MARKER_SCOPE_LOCATION || strchr(text, '\n'))
        return OTF2_CALLBACK_ERROR;
    printf("%llu %llu %s\n", (unsigned long long)of, (unsigned long long)ns, text);
    return OTF2_CALLBACK_SUCCESS;
}

int main(int argc, char **argv)
{
    OTF2_Reader *reader = argc == 2 ? OTF2_Reader_Open(argv[1]) : NULL;
    OTF2_MarkerReader *markers = NULL;
    OTF2_MarkerReaderCallbacks *callbacks = OTF2_MarkerReaderCallbacks_New();
    uint64_t count;
    if (!reader || OTF2_Reader_SetSerialCollectiveCallbacks(reader) != OTF2_SUCCESS ||
        !(markers = OTF2_Reader_GetMarkerReader(reader)) ||
        OTF2_MarkerReaderCallbacks_SetMarkerCallback(callbacks, show) != OTF2_SUCCESS ||
        OTF2_Reader_RegisterMarkerCallbacks(reader, markers, callbacks, NULL) != OTF2_SUCCESS ||
        OTF2_Reader_ReadAllMarkers(reader, markers, &count) != OTF2_SUCCESS)
        return 1;
    OTF2_MarkerReaderCallbacks_Delete(callbacks);
    OTF2_Reader_CloseMarkerReader(reader, markers);
    return OTF2_Reader_Close(reader) != OTF2_SUCCESS;
}
