/* SPDX-License-Identifier: BSD-3-Clause */
/* Other libraries' names, so that a program's calls come to us and nobody else's search finds us.
 *
 * Communication libraries keep a cache of registered memory right by patching the code of munmap and its like, and of
 * CUDA's functions: they ask dlsym for the function and write a jump over its beginning. If dlsym found ours they would
 * patch ours, and no longer see what the C library, or a CUDA runtime inside the program, does within itself; messages
 * would be wrong. And a program that asks dlsym whether there is CUDA must not be told that there is.
 *
 * So the symbols have versions that are not the default ones: references that the linker made bind to ours, by the
 * version that they name or because they name none; dlsym, which looks for default versions, passes by. The functions
 * here are called followed_NAME, which preload.map makes local. */
#ifndef PILGRIM_INTERPOSE_H
#define PILGRIM_INTERPOSE_H

/* Where followed_NAME is defined: references to NAME with VERSION, a string. */
#define INTERPOSE(name, version) __asm__(".symver followed_" #name ", " #name "@" version "\n")

/* The same for a further version. The assembler may refuse a symbol more than one version; TAG makes a symbol of its
 * own. */
#define INTERPOSE_ALSO(name, tag, version)                                                                             \
    __asm__(".globl followed_" #name tag "\n.set followed_" #name tag ", followed_" #name "\n"                         \
            ".symver followed_" #name tag ", " #name "@" version "\n")

/* References that name no version: the first version in preload.map. */
#define UNVERSIONED "PILGRIM"

#endif
