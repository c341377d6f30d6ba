/* SPDX-License-Identifier: BSD-3-Clause */
/* Build-ids; see build_id.h. Name and content of each note are padded to the notes' alignment. */
#include "base/build_id.h"

#include <link.h>
#include <string.h>

const uint8_t *build_id_in(const void *at, size_t bytes, size_t header_alignment, size_t *length)
{
    const uint8_t *note_at = at;
    const size_t alignment = header_alignment == 8 ? 8 : 4;
    ElfW(Nhdr) note;
    while (bytes >= sizeof note) {
        memcpy(&note, note_at, sizeof note);
        uint64_t content = (sizeof note + (uint64_t)note.n_namesz + alignment - 1) / alignment * alignment;
        uint64_t whole = (content + note.n_descsz + alignment - 1) / alignment * alignment;
        if (content + note.n_descsz > bytes)
            return NULL;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(note_at + sizeof note, "GNU", 4)) {
            *length = note.n_descsz;
            return note_at + content;
        }
        if (whole >= bytes)
            return NULL;
        note_at += whole;
        bytes -= whole;
    }
    return NULL;
}
