# SPDX-License-Identifier: BSD-3-Clause
# Pilgrim's build. `make help` lists the targets.
#
# Everything made lies in one build folder: ./build, or BUILD=..., or the folder that configure was run in.
# All paths are absolute, so make may be started in the source folder or in the build folder.
# Two files are made before anything else, because make reads them: config.mk (by configure) and
# generated/sources.mk (the list of the C files that pilgrim-gen writes).

MAKEFLAGS += -r

S := $(abspath $(dir $(lastword $(MAKEFILE_LIST))))
BUILD ?= $(S)/build
B := $(abspath $(BUILD))
G := $(B)/generated
# The build folder of what knows no MPI. The tree of the other MPI (`make other`) takes it from the first one's.
P := $(abspath $(or $(PLAIN_BUILD),$(B)))

# These do not need a configured build folder: they set one up, or need none.
NO_CONFIG := help clean distclean setup demo check check-long check-apps bench asan fuzz configure
.DEFAULT_GOAL := all

ifneq ($(filter-out $(NO_CONFIG),$(or $(MAKECMDGOALS),all)),)
include $(B)/config.mk
endif

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Wundef -Wvla -Wcast-qual
# An enum is how an integer gets a name here; clang 19 warns where such a name meets a double. gcc does not know the option.
WARNINGS += -Wno-enum-float-conversion
# The target is named because ccache with a base folder would name it by a relative path, which is no target here.
DEPENDENCIES = -MMD -MP -MT $@
BASE_FLAGS = -std=gnu11 $(WARNINGS) $(if $(WERROR),-Werror) $(DEPENDENCIES)
LIBRARY_FLAGS = $(BASE_FLAGS) -fPIC -fvisibility=hidden -I$(S)/src -I$(S)/include -I$(P) $(CPPFLAGS) $(CFLAGS)
# MPICH declares arrays of statuses in a way that makes gcc 12 warn of MPI_STATUSES_IGNORE; clang does not know the option.
MPI_FLAGS = -Wno-unknown-warning-option -Wno-stringop-overflow -Wno-stringop-overread -Wno-deprecated-declarations $(MPI_DEFINES)
# Open MPI declares the functions that MPI-3 removed only to those who say so; its library has them.
MPI_DEFINES = -DOMPI_OMIT_MPI1_COMPAT_DECLS=0
TRACER_FLAGS = $(LIBRARY_FLAGS) $(MPI_FLAGS) -ftls-model=initial-exec -I$(G)
PROGRAM_FLAGS = $(BASE_FLAGS) -I$(S)/include $(CPPFLAGS) $(CFLAGS)

# `make` says what it makes; `make V=1` shows the commands.
comma := ,
say = $(if $(V),,@echo "  $(1) $(patsubst $(B)/%,%,$@)";)

# ---- sources ----

sources = $(wildcard $(addsuffix /*.c,$(addprefix $(S)/,$(1))))
objects = $(patsubst $(S)/%.c,$(P)/obj/%.o,$(call sources,$(1)))
mpi_objects = $(patsubst $(S)/%.c,$(B)/obj/%.o,$(call sources,$(1)))

CORE := $(call objects,$(addprefix src/,base unwind symbols grammar rules sequence loops timing format journal record merge template write recover))
READER := $(call objects,$(addprefix src/read/,table file value cursor time) src/read)
TRACER := $(call mpi_objects,$(addprefix src/,mpi objects intercept process wrap fortran gather lifecycle))
# The thread sanitizer has an allocator of its own, and asks dlsym for functions before any instrumented one may be called.
TRACER := $(if $(findstring -fsanitize=thread,$(CFLAGS)),$(filter-out %/intercept/alloc.o %/intercept/dlsym.o,$(TRACER)),$(TRACER))
# Those of the tracer's files that know no MPI, so that they are tested without it.
PLAIN := $(patsubst %,$(P)/obj/src/%.o,$(addprefix objects/,cuda_driver device hash_table heap mappings memory modules pages pool request_array_delta requests sharing \
	untracked_requests) $(addprefix process/,host_location program_name settings))
TRACER := $(filter-out $(PLAIN:$(P)/%=$(B)/%),$(TRACER)) $(PLAIN)
# The names of error classes: the recorder and the merger say them, too.
ANALYSIS := $(call objects,src/analysis) $(P)/obj/src/base/error_classes.o
DECODER := $(call objects,decoder)
REPLAY := $(call mpi_objects,tools/replay)
GENERATE := $(call objects,tools/generate)
GENERATOR := $(call objects,gen)
UNIT := $(patsubst $(S)/%.c,$(B)/%,$(wildcard $(S)/tests/unit/check_*.c))
PROGRAMS = $(patsubst %.c,$(B)/programs/%,$(filter-out rank_bytes.c $(NEEDS_MPI_4),$(notdir $(call sources,examples tests/mpi bench/size))))
# Programs about nothing else than what MPI-4 brought.
NEEDS_MPI_4 = $(if $(filter 3,$(MPI_STANDARD)),largecount.c sessions.c)
PLAIN_PROGRAMS := rank_bytes report_plain yield.so naps.so hosts.so operations.so clocks.so logical_clock.so allocations.so fence.so second_mixer.so
FORTRAN_PROGRAMS := $(if $(MPIFC),$(addprefix $(B)/programs/,$(basename $(notdir $(wildcard $(S)/tests/fortran/*.f $(S)/tests/fortran/*.f90)))))
MAN := $(wildcard $(S)/docs/*.1)

TOOLS := $(if $(DECODER),$(B)/pilgrim-decode $(B)/pilgrim-convert $(B)/pilgrim-diff $(B)/pilgrim-waits $(B)/pilgrim-report) $(B)/pilgrim-merge $(B)/pilgrim-top $(B)/pilgrim
ifneq ($(MPICC),)
TOOLS += $(B)/pilgrim-run $(if $(REPLAY),$(B)/pilgrim-replay) $(if $(GENERATE),$(B)/pilgrim-generate)
LIBRARIES := $(B)/libpilgrim.so $(B)/libpilgrim.a
endif
LIBRARIES += $(if $(READER),$(B)/libpilgrim-reader.a $(B)/libpilgrim-reader.so $(B)/libpilgrim-analysis.a)

.PHONY: all python python-missing help setup demonstrated units units-missing other tsan fuzz fuzzers programs coverage install uninstall clean distclean demo check check-long check-apps bench asan \
	checked checked-long run-demo run-check run-check-long run-check-apps run-bench

all: $(LIBRARIES) $(TOOLS)

help:
	@echo 'make              build the libraries and tools in $(BUILD)'
	@echo 'make demo         install what it needs, build, trace a stencil on 4 ranks, show the calls: a minute on two cores'
	@echo 'make setup        install what all tests need; LONG=1: also what only the long run needs'
	@echo 'make check        build, run the tests with what is there; LONG=1: all of them'
	@echo 'make check-long   every test in full, for both MPIs and under the sanitizers; the same as make check LONG=1'
	@echo 'make check-apps   install some real programs (LAMMPS, Quantum ESPRESSO, HPCC, ScaLAPACK) and trace them'
	@echo 'make bench        trace sizes, merging, cost of a call and of malloc, decoding speed (some minutes)'
	@echo 'make coverage     which MPI functions are traced, which are not, and why'
	@echo 'make python       the Python module (import pilgrim), in $(BUILD)/python'
	@echo 'make install      libraries, tools, the Python module, headers, man pages, completions, pkg-config file (DESTDIR=... is obeyed)'
	@echo 'make uninstall    removes what make install has left, with the same settings'
	@echo 'make programs     the MPI programs of examples/, tests/mpi/ and bench/size/'
	@echo 'make units        the unit tests, without running them; checked, checked-long: all that the checks run'
	@echo 'make asan         all tools and unit tests with ASan and UBSan (of clang where it is there), in $(BUILD)/asan'
	@echo 'make other        all and programs, and the same for the MPI of the other family (MPICH, Open MPI), in $(BUILD)/other'
	@echo 'make tsan         the preload library and some programs with TSan, in $(BUILD)/tsan'
	@echo 'make fuzz         fuzzers of reader and tools, with clang, in $(BUILD)/asan'
	@echo 'make configure    ./configure from configure.ac'
	@echo 'make clean        remove what was built; distclean: and what was configured'
	@echo
	@echo 'BUILD=folder      build there; V=1: show the commands; WERROR=1: warnings are errors'
	@echo 'DEPS=no           demo, check-apps, bench: install nothing'

# ---- set-up ----

configure: $(S)/configure

# The version stands in one header.
$(S)/configure: $(S)/configure.ac $(S)/include/pilgrim/version.h
	@command -v autoconf >/dev/null || { echo 'autoconf is missing: run scripts/install-deps.sh' >&2; exit 1; }
	cd $(S) && autoconf && rm -rf autom4te.cache configure~

$(B)/config.mk: $(S)/configure $(S)/config.mk.in $(S)/build.mk.in $(S)/pilgrim.pc.in $(S)/pilgrim-analysis.pc.in
	@mkdir -p $(B)
	cd $(B) && if test -x config.status; then ./config.status -q --recheck && ./config.status -q; \
	    else $(S)/configure -q $(CONFIGURE_FLAGS); fi
	@touch $@

# For these a newcomer has typed one command on a bare machine.
parallel = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))

# `make check LONG=1` is `make check-long`.
longer = $(if $(filter check,$@),$(if $(LONG),-long))

# A build folder that was configured before knows then what has come. If nothing has, nothing is built again.
setup:
	@$(S)/scripts/install-deps.sh $(if $(LONG),long)
	@if cd $(B) 2>/dev/null && test -x config.status; then \
	    cp -p config.mk config.mk.before && ./config.status -q --recheck >/dev/null && ./config.status -q >/dev/null && \
	    if cmp -s config.mk config.mk.before; then mv config.mk.before config.mk; else rm config.mk.before; fi; fi

# `make setup check` does one after the other, with -j too.
demo check check-long check-apps bench: $(filter setup,$(MAKECMDGOALS))

demo:
	$(if $(filter no,$(DEPS)),,@$(S)/scripts/install-deps.sh demo)
	@mkdir -p $(B)
	@echo 'demo: building the recorder, pilgrim-decode and a stencil; what make says is in $(B)/demo.log'
	@$(MAKE) --no-print-directory $(parallel) demonstrated >$(B)/demo.log 2>&1 || { tail -n 30 $(B)/demo.log; exit 1; }
	@$(MAKE) --no-print-directory run-demo

check check-long:
	@$(MAKE) --no-print-directory $(parallel) run-$@$(longer)

check-apps bench:
	$(if $(filter no,$(DEPS)),,@$(S)/scripts/install-deps.sh && $(if $(filter bench,$@),:,$(S)/scripts/install-apps.sh))
	@$(MAKE) --no-print-directory $(parallel) run-$@

# ---- the generator and what it writes ----

$(P)/obj/gen/%.o: $(S)/gen/%.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(PROGRAM_FLAGS) -I$(S)/src -c -o $@ $<

$(P)/pilgrim-gen: $(GENERATOR)
	$(call say,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

# The local mpi.h as the compiler sees it, and its macros.
$(B)/mpi/mpi.i: $(B)/config.mk
	@mkdir -p $(@D)
	$(call say,MPI)echo '#include <mpi.h>' | $(MPICC) $(MPI_DEFINES) -E -x c -o $@ -

$(B)/mpi/mpi.macros: $(B)/config.mk
	@mkdir -p $(@D)
	$(call say,MPI)echo '#include <mpi.h>' | $(MPICC) $(MPI_DEFINES) -E -dM -x c -o $@ -

GENERATOR_TABLES := $(wildcard $(S)/mpi-std/kinds.tsv $(S)/mpi-std/chap-*/*.tex $(S)/gen/overrides* \
	$(S)/gen/constants* $(S)/gen/templates $(S)/gen/templates/*)

# Written to a folder beside first: files that are as before keep their time, and nothing is compiled again.
$(G)/sources.mk: $(P)/pilgrim-gen $(B)/mpi/mpi.i $(B)/mpi/mpi.macros $(GENERATOR_TABLES)
	@rm -rf $(G).new && mkdir -p $(G) $(G).new
	$(call say,GEN)$(P)/pilgrim-gen --standard $(S)/mpi-std --kinds $(S)/mpi-std/kinds.tsv \
	    --mpi-h $(B)/mpi/mpi.i --mpi-macros $(B)/mpi/mpi.macros --overrides $(S)/gen/overrides \
	    --constants $(S)/gen/constants --templates $(S)/gen/templates --out $(G).new
	@for old in $(G)/*; do test -e "$(G).new/$${old##*/}" || rm -f "$$old"; done
	@for new in $(G).new/*; do cmp -s $$new $(G)/$${new##*/} || mv $$new $(G)/; done
	@cd $(G) && echo GENERATED := *.c >$@
	@rm -rf $(G).new

ifneq ($(MPICC),)
ifneq ($(filter-out $(NO_CONFIG) units,$(or $(MAKECMDGOALS),all)),)
include $(G)/sources.mk
endif
endif
TRACER += $(patsubst %.c,$(B)/obj/generated/%.o,$(filter-out shadow-% replay-% generate-%,$(GENERATED)))
SHADOW = $(call mpi_objects,src/shadow) $(patsubst %.c,$(B)/obj/generated/%.o,$(filter shadow-%,$(GENERATED)))

# ---- objects ----

$(P)/dictionary.inc: $(S)/src/format/dictionary.txt
	$(call say,TEXT)sed 's/.*/"&\\0"/' $< >$@

$(P)/example.inc $(P)/example-10.inc: $(P)/%.inc: $(S)/src/format/%.hex
	$(call say,TEXT)sed 's/../0x&,/g' $< >$@

$(P)/obj/src/format/dictionary.o: $(P)/dictionary.inc $(P)/example.inc $(P)/example-10.inc

# The version that references to the C library's mmap have: that of the processor's first glibc.
$(P)/libc_version.h: $(P)/config.mk
	$(call say,LIBC)echo 'void *mmap(void); int main(void) { return !mmap(); }' | \
	    $(CC) -fno-builtin -w -x c -o $(P)/libc_version.out - && \
	    nm -D $(P)/libc_version.out | sed -n 's/.* mmap@*\(GLIBC_[0-9.]*\)$$/#define LIBC_VERSION "\1"/p' >$@ && \
	    rm $(P)/libc_version.out && test -s $@ || { rm -f $@; echo 'the C library is not glibc' >&2; exit 1; }

$(B)/preload.map: $(S)/src/intercept/preload.map $(P)/libc_version.h
	$(call say,TEXT)sed "s/^LIBC_VERSION/$$(cut -d '"' -f 2 $(P)/libc_version.h)/" $< >$@

$(addprefix $(B)/obj/,src/intercept/alloc.o src/intercept/dlsym.o static/src/intercept/alloc.o): $(P)/libc_version.h

$(PLAIN): $(P)/obj/src/%.o: $(S)/src/%.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(LIBRARY_FLAGS) -ftls-model=initial-exec -c -o $@ $<


$(filter-out $(PLAIN) $(B)/obj/generated/%,$(TRACER)) $(call mpi_objects,src/shadow): $(B)/obj/src/%.o: $(S)/src/%.c
	@mkdir -p $(@D)
	$(call say,MPICC)$(MPICC) $(TRACER_FLAGS) -c -o $@ $<

# Thousands of small functions: with -Og gcc takes half the time of -O2 for the entries, and makes the instructions of -O1; the slots
# take a quarter less with -O1, for code as good; and what is for tests only.
$(B)/obj/generated/fortran_entries.o: TRACER_FLAGS += -Og
$(B)/obj/generated/fortran_slots.o $(filter $(B)/obj/generated/%,$(SHADOW)): TRACER_FLAGS += -O1
$(B)/obj/generated/%.o: $(G)/%.c
	@mkdir -p $(@D)
	$(call say,MPICC)$(MPICC) $(TRACER_FLAGS) -c -o $@ $<

# In the build folder of the sanitizers, which has no MPI, the one of the folder above.
REPLAY_CC = $(MPICC)
$(B)/obj/tools/replay/%.o: $(S)/tools/replay/%.c
	@mkdir -p $(@D)
	$(call say,MPICC)$(REPLAY_CC) $(PROGRAM_FLAGS) $(MPI_FLAGS) -I$(S)/src -I$(S)/tools/replay -I$(G) -c -o $@ $<

REPLAY_ACTIONS := $(B)/obj/replay/replay-actions.o

$(REPLAY_ACTIONS): $(G)/replay-actions.c
	@mkdir -p $(@D)
	$(call say,MPICC)$(REPLAY_CC) $(PROGRAM_FLAGS) $(MPI_FLAGS) -I$(S)/src -I$(S)/tools/replay -I$(G) -c -o $@ $<

GENERATE_TABLE := $(B)/obj/generate/generate-functions.o

$(GENERATE_TABLE): $(G)/generate-functions.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(PROGRAM_FLAGS) -I$(S)/tools/generate -c -o $@ $<

$(P)/obj/tools/run/%.o: $(S)/tools/run/%.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(PROGRAM_FLAGS) -I$(S)/src -DPILGRIM_LIBDIR='"$(libdir)"' -c -o $@ $<

$(P)/obj/tools/run/launcher.o: $(S)/src/process/launcher.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(PROGRAM_FLAGS) -I$(S)/src -c -o $@ $<

$(P)/obj/tools/convert/%.o: $(S)/tools/convert/%.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(PROGRAM_FLAGS) $(OTF2_FLAGS) -I$(S)/src -c -o $@ $<

$(P)/obj/tools/report/%.o: $(S)/tools/report/%.c $(P)/config.mk
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(PROGRAM_FLAGS) $(ZLIB_FLAGS) -I$(S)/src -I$(P) -c -o $@ $<

# The Python module has these, too: so they fit a shared library.
$(P)/obj/tools/%.o: $(S)/tools/%.c $(P)/config.mk
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(PROGRAM_FLAGS) -fPIC -fvisibility=hidden -I$(S)/src -I$(P) -c -o $@ $<

$(P)/obj/decoder/%.o: $(S)/decoder/%.c $(P)/config.mk
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(PROGRAM_FLAGS) -fPIC -fvisibility=hidden -I$(S)/src -c -o $@ $<

$(P)/obj/src/analysis/%.o: $(S)/src/analysis/%.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(LIBRARY_FLAGS) $(DW_FLAGS) -c -o $@ $<

$(P)/obj/src/%.o: $(S)/src/%.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(LIBRARY_FLAGS) -c -o $@ $<

# ---- libraries and tools ----

# All modules without MPI: for the unit tests.
$(P)/libcore.a: $(CORE) $(READER) $(PLAIN)
	$(call say,AR)rm -f $@ && ar rcs $@ $^

# The part of the reader that the writer asks (read/file/prove.h), as one object that shows nothing else: a program may have a reader of its own.
$(P)/proof.o: $(P)/libcore.a
	$(call say,LD)ld -r -u prove_shard -o $@ $< && objcopy --keep-global-symbol=prove_shard $@

# Not linked with MPI, and none of its names is left undefined: the program's own is looked for (mpi/mpi_library.h).
PRELOAD_LINK = $(call say,LINK)$(CC) -shared $(CFLAGS) $(LDFLAGS) -Wl,-z,defs -Wl,--exclude-libs,ALL \
	    -Wl,--version-script=$(B)/preload.map -o $@ $(filter %.o,$^) $(PRELOAD_ZSTD) -ldl -lpthread

$(B)/libpilgrim.so: $(CORE) $(TRACER) $(P)/proof.o $(B)/preload.map
	$(PRELOAD_LINK)

$(G)/absent.symbols: $(G)/sources.mk

# The same as an archive, for programs that MPI is linked with statically. The tracer is one object whose inner names are
# local. The allocator is another, so that a program that brings its own goes without ours; between them go the names
# that memory.h has for it. CUDA is left out: it is followed by versions of names, which only a shared library has.
STATIC := $(patsubst %,$(B)/obj/static/%.o,src/mpi/mpi_library src/intercept/exit src/intercept/unload \
	generated/mpi_functions generated/entries)
STATIC_ALLOC := $(B)/obj/static/src/intercept/alloc.o
TRACER_SHARED = $(patsubst $(B)/obj/static/%,$(B)/obj/%,$(STATIC) $(STATIC_ALLOC))
HEAP_NAMES := $(foreach name,allocated freed suspended resumed short_hook,--redefine-sym heap_$(name)=pilgrim_heap_$(name)) \
	--redefine-sym memory_followed=pilgrim_memory_followed
LIBZSTD_A = $(if $(findstring .a,$(PRELOAD_ZSTD)),$(shell $(CC) -print-file-name=libzstd.a))

$(B)/obj/static/src/%.o: $(S)/src/%.c
	@mkdir -p $(@D)
	$(call say,MPICC)$(MPICC) $(TRACER_FLAGS) -DPILGRIM_STATIC -c -o $@ $<

$(B)/obj/static/generated/%.o: $(G)/%.c
	@mkdir -p $(@D)
	$(call say,MPICC)$(MPICC) $(TRACER_FLAGS) -DPILGRIM_STATIC -c -o $@ $<

TRACER_LINK = $(call say,LD)ld -r -o $@ $(filter-out $(TRACER_SHARED) %/intercept/cuda.o,$(filter %.o,$^)) $(LIBZSTD_A) && \
	    objcopy $(HEAP_NAMES) --wildcard \
	    --keep-global-symbol='MPI_*' --keep-global-symbol='MPIX_*' --keep-global-symbol='pilgrim_*' $@ && \
	    objcopy --localize-symbols=$(G)/absent.symbols $@

$(B)/tracer.o: $(CORE) $(TRACER) $(STATIC) $(P)/proof.o $(G)/absent.symbols
	$(TRACER_LINK)

$(B)/allocator.o: $(STATIC_ALLOC)
	$(call say,OBJCOPY)objcopy $(HEAP_NAMES) $< $@

ARCHIVE = $(call say,AR)rm -f $@ && ar rcs $@ $^

$(B)/libpilgrim.a: $(B)/tracer.o $(B)/allocator.o
	$(ARCHIVE)

# For tests: the same objects, and those of the shadow (src/shadow). The linker leads some of the tracer's calls to it. pilgrim-run
# lies beside them because it looks for the library there.
SHADOWED := $(addprefix $(B)/programs/shadow/,libpilgrim.so libpilgrim.a pilgrim-run)
WRAPS = $(S)/src/shadow/wraps $(G)/shadow.wraps

$(B)/programs/shadow/libpilgrim.so: $(CORE) $(TRACER) $(SHADOW) $(P)/proof.o $(B)/preload.map $(WRAPS)
	@mkdir -p $(@D)
	$(PRELOAD_LINK) $(addprefix -Wl$(comma)@,$(WRAPS))

$(B)/programs/shadow/tracer.o: $(CORE) $(TRACER) $(SHADOW) $(STATIC) $(P)/proof.o $(WRAPS) $(G)/absent.symbols
	@mkdir -p $(@D)
	$(subst ld -r,ld -r $(addprefix @,$(WRAPS)),$(TRACER_LINK))

$(B)/programs/shadow/libpilgrim.a: $(B)/programs/shadow/tracer.o $(B)/allocator.o
	$(ARCHIVE)

$(B)/programs/shadow/pilgrim-run: $(B)/pilgrim-run
	@mkdir -p $(@D)
	$(call say,CP)cp $< $@

$(G)/shadow.wraps: $(G)/sources.mk

# The number in the file name of the shared library: include/pilgrim/version.h says when it changes.
ABI := $(shell sed -n 's/^.define PILGRIM_ABI //p' $(S)/include/pilgrim/version.h)

# One object whose inner names are local, so that a program's own names cannot meet them.
$(P)/reader.o: $(READER) $(P)/libcore.a
	$(call say,LD)ld -r -o $@ $^ && objcopy --localize-hidden $@

$(P)/libpilgrim-reader.a: $(P)/reader.o
	$(call say,AR)rm -f $@ && ar rcs $@ $^

$(B)/libpilgrim-reader.so: $(P)/reader.o $(S)/src/read/reader.map
	$(call say,LINK)$(CC) -shared $(CFLAGS) $(LDFLAGS) -Wl,-soname,$(@F).$(ABI) -Wl,--version-script=$(filter %.map,$^) -o $@.$(ABI) \
	    $(filter %.o,$^) -lzstd -lpthread -lm
	@ln -sf $(@F).$(ABI) $@

# What the tools know of calls (src/analysis), with all its names: for the tools. They take what they use.
$(P)/libanalysis.a: $(ANALYSIS)
	$(call say,AR)rm -f $@ && ar rcs $@ $^

# The same for users, with its public names only.
$(P)/analysis.o: $(ANALYSIS)
	$(call say,LD)ld -r -o $@ $^ && objcopy --localize-hidden $@

$(P)/libpilgrim-analysis.a: $(P)/analysis.o
	$(call say,AR)rm -f $@ && ar rcs $@ $^

$(P)/pilgrim-decode: $(DECODER) $(P)/libanalysis.a $(P)/libpilgrim-reader.a
	$(call say,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lzstd -lpthread -lm $(DW_LIBS) -ldl

MERGE := $(patsubst $(S)/%.c,$(P)/obj/%.o,$(wildcard $(S)/tools/merge/*.c)) $(P)/obj/decoder/progress.o $(P)/libanalysis.a

$(P)/pilgrim-merge: $(MERGE) $(P)/libcore.a
	$(call say,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lzstd $(DW_LIBS) -ldl

TOP := $(patsubst $(S)/%.c,$(P)/obj/%.o,$(wildcard $(S)/tools/top/*.c)) $(P)/obj/decoder/output.o $(P)/libanalysis.a

$(P)/pilgrim-top: $(TOP) $(P)/libcore.a
	$(call say,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lzstd $(DW_LIBS) -ldl

DIFF := $(patsubst $(S)/%.c,$(P)/obj/%.o,$(wildcard $(S)/tools/diff/*.c)) $(addprefix $(P)/obj/decoder/,decode_errors.o output.o site_place.o text.o) $(P)/libanalysis.a

$(P)/pilgrim-diff: $(DIFF) $(P)/libpilgrim-reader.a
	$(call say,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lzstd -lpthread -lm $(DW_LIBS) -ldl

CONVERT := $(patsubst $(S)/%.c,$(P)/obj/%.o,$(wildcard $(S)/tools/convert/*.c)) $(addprefix $(P)/obj/decoder/,csv_cells.o decode_errors.o output.o output_file.o progress.o text.o trace_input.o) $(P)/libanalysis.a

$(P)/pilgrim-convert: $(CONVERT) $(P)/libpilgrim-reader.a
	$(call say,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lzstd -lpthread -lm $(DW_LIBS) $(OTF2_LIBS) -ldl

WAITS := $(patsubst $(S)/%.c,$(P)/obj/%.o,$(wildcard $(S)/tools/waits/*.c)) $(addprefix $(P)/obj/decoder/,csv_cells.o deadlocks_print.o decode_errors.o output.o site_place.o) $(P)/libanalysis.a

REPORT := $(patsubst $(S)/%.c,$(P)/obj/%.o,$(wildcard $(S)/tools/report/*.c)) $(filter-out %/pilgrim-decode.o,$(DECODER)) \
    $(filter-out %/pilgrim-waits.o %/pilgrim-diff.o,$(patsubst $(S)/%.c,$(P)/obj/%.o,$(wildcard $(S)/tools/waits/*.c $(S)/tools/diff/*.c))) $(P)/libanalysis.a

# A page's text, and its scripts one behind the other as gzip in base64: a string a line.
LINES := sed 's/[\\"]/\\&/g; s/.*/"&\\n",/'
SCRIPTS := $(addprefix $(S)/tools/report/,$(addsuffix .js,page waits typical details heat matrix timeline compare))

$(P)/page.%.inc: $(S)/tools/report/page.%
	$(call say,TEXT)$(LINES) $< >$@

$(P)/script.inc: $(SCRIPTS)
	$(call say,TEXT)cat $^ | gzip -9 -n | base64 -w 120 | $(LINES) >$@

$(P)/obj/tools/report/pilgrim-report.o: $(addprefix $(P)/,page.html.inc page.css.inc script.inc)

$(P)/pilgrim-report: $(REPORT) $(P)/libpilgrim-reader.a
	$(call say,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lzstd -lpthread -lm $(DW_LIBS) $(ZLIB_LIBS) -ldl

# For tests: as it is without zlib, and with a page of many ranks that is made from fewer of them. (Headers: from the last build's .d.)
$(P)/programs/report_plain: $(addprefix $(S)/tools/report/report_,pack.c views.c) $(REPORT) $(P)/libpilgrim-reader.a
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(PROGRAM_FLAGS) -DREPORT_SENDERS_READ=16 -I$(S)/src $(LDFLAGS) -o $@ $(filter-out %.h %/report_pack.o %/report_views.o,$^) \
	    -lzstd -lpthread -lm $(DW_LIBS) -ldl

$(B)/pilgrim-replay: $(REPLAY) $(REPLAY_ACTIONS) $(P)/libanalysis.a $(P)/libpilgrim-reader.a
	$(call say,LINK)$(REPLAY_CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lzstd -lpthread -lm $(DW_LIBS) -ldl

$(B)/pilgrim-generate: $(GENERATE) $(GENERATE_TABLE) $(P)/obj/decoder/decode_errors.o $(P)/libanalysis.a $(P)/libpilgrim-reader.a
	$(call say,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lzstd -lpthread -lm $(DW_LIBS) -ldl

$(P)/pilgrim-waits: $(WAITS) $(P)/libpilgrim-reader.a
	$(call say,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lzstd -lpthread -lm $(DW_LIBS) -ldl

$(P)/pilgrim-run: $(addprefix $(P)/obj/tools/run/,pilgrim-run.o earlier_runs.o launcher.o obstacle.o program_file.o sanitizers.o) \
    $(addprefix $(P)/obj/src/journal/,machine_name.o process_state.o) $(addprefix $(P)/obj/src/base/,printable.o spare_files.o)
	$(call say,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(P)/pilgrim: $(P)/obj/tools/pilgrim/pilgrim.o $(P)/obj/src/base/printable.o
	$(call say,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

# The tree of the other MPI has what knows no MPI by the same names.
ifneq ($(P),$(B))
$(addprefix $(B)/,pilgrim pilgrim-decode pilgrim-convert pilgrim-diff pilgrim-waits pilgrim-report pilgrim-merge pilgrim-top pilgrim-run \
    libpilgrim-reader.a libpilgrim-analysis.a $(addprefix programs/,$(PLAIN_PROGRAMS))): $(B)/%: $(P)/%
	@mkdir -p $(@D)
	$(call say,LN)ln -f $< $@
endif

# ---- Python ----

# The module is a folder that may be put on PYTHONPATH: $(B)/python. All but the entry of the module is hidden in it.
PYMODULE := $(B)/python/pilgrim/_pilgrim$(PYTHON_SUFFIX)
PYMODULE_OBJECTS := $(call objects,python)
PYMODULE_FILES := $(patsubst $(S)/python/%,$(B)/python/%,$(wildcard $(addprefix $(S)/python/pilgrim/,*.py *.pyi py.typed)))

python: $(if $(PYTHON_INCLUDE),$(PYMODULE) $(PYMODULE_FILES),python-missing)

python-missing:
	@echo 'python: $(PYTHON_WHY)' >&2; exit 1

$(B)/obj/python/%.o: $(S)/python/%.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(LIBRARY_FLAGS) -isystem $(PYTHON_INCLUDE) -c -o $@ $<

# What pilgrim-decode, pilgrim-diff and pilgrim-waits do, without their main and options.
PYMODULE_TOOLS := $(filter-out %/pilgrim-diff.o %/diff_options.o %/pilgrim-waits.o,$(call objects,tools/diff) $(call objects,tools/waits)) \
	    $(filter-out %/pilgrim-decode.o,$(DECODER))

$(PYMODULE): $(PYMODULE_OBJECTS) $(PYMODULE_TOOLS) $(P)/libanalysis.a $(P)/libpilgrim-reader.a
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) -shared $(CFLAGS) $(LDFLAGS) -Wl,--exclude-libs,ALL -o $@ $^ -lzstd -lpthread -lm $(DW_LIBS) -ldl

$(B)/python/pilgrim/%: $(S)/python/pilgrim/%
	@mkdir -p $(@D)
	$(call say,CP)cp $< $@

# ---- programs to trace, tests, benchmarks ----

programs: $(SHADOWED) $(PROGRAMS) $(FORTRAN_PROGRAMS) $(addprefix $(B)/programs/,every overhead $(PLAIN_PROGRAMS))

PROGRAM_COMPILE = $(call say,MPICC)$(MPICC) $(PROGRAM_FLAGS) $(MPI_FLAGS) -o $@ $< $(PROGRAM_LIBS) -lm -lpthread

# CUDA for those who have none.
STUBS := $(B)/programs/cuda
$(B)/programs/devices: PROGRAM_LIBS = -L$(STUBS) -lcudart -l:libcuda.so.1 -ldl -Wl,-rpath,$(STUBS)
$(B)/programs/devices: $(STUBS)/libcudart.so
# By its path: UCX puts itself in front of dlopen, and then it is not the program's run path that is searched.
$(B)/programs/places: PROGRAM_LIBS = -DPLUGIN='"$(STUBS)/plugin.so"' -ldl -Wl,-rpath,$(STUBS)
$(B)/programs/places: | $(STUBS)/plugin.so

$(STUBS)/plugin.so: $(S)/tests/cuda/plugin.c $(STUBS)/libcudart.so
	$(call say,CC)$(CC) $(PROGRAM_FLAGS) -fPIC -shared -o $@ $(filter-out %.h,$^) -Wl,-rpath,$(STUBS)

$(STUBS)/libcuda.so.1: $(S)/tests/cuda/stub_driver.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(PROGRAM_FLAGS) -fPIC -shared -Wl,-soname,$(@F) -o $@ $<

$(STUBS)/libcudart.so: $(S)/tests/cuda/stub_runtime.c $(STUBS)/libcuda.so.1 $(S)/tests/cuda/libcudart.map
	$(call say,CC)$(CC) $(PROGRAM_FLAGS) -fPIC -shared -Wl,-soname,$(@F) -o $@ $(filter-out %.h %.map,$^) \
	    -Wl,--version-script=$(filter %.map,$^) -Wl,-rpath,$(STUBS)

# An example that reads traces.
$(P)/programs/rank_bytes: $(S)/examples/rank_bytes.c $(P)/libpilgrim-analysis.a $(P)/libpilgrim-reader.a
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(PROGRAM_FLAGS) -o $@ $(filter-out %.h,$^) -lzstd -lpthread -lm $(DW_LIBS) -ldl

$(B)/programs/%: $(S)/examples/%.c
	@mkdir -p $(@D)
	$(PROGRAM_COMPILE)

$(B)/programs/%: $(S)/tests/mpi/%.c
	@mkdir -p $(@D)
	$(PROGRAM_COMPILE)

$(B)/programs/%: $(S)/tests/tsan/%.c
	@mkdir -p $(@D)
	$(PROGRAM_COMPILE)

$(B)/programs/%: $(S)/bench/size/%.c
	@mkdir -p $(@D)
	$(PROGRAM_COMPILE)

# Lines as they are written, so that tests can tell them; modules where nothing else is.
FORTRAN_COMPILE = $(call say,MPIFC)$(MPIFC) -g -O0 -J $(@D)/modules -o $@ $<

$(B)/programs/%: $(S)/tests/fortran/%.f
	@mkdir -p $(@D)/modules
	$(FORTRAN_COMPILE)

$(B)/programs/%: $(S)/tests/fortran/%.f90
	@mkdir -p $(@D)/modules
	$(FORTRAN_COMPILE)

# Each wrapped function, called from a table: see tests/every/calls.
$(B)/every/every_calls.c: $(addprefix $(S)/tests/every/,generate calls every.c) $(G)/sources.mk
	@mkdir -p $(@D)
	$(call say,GEN)$(S)/tests/every/generate $(MPI_FAMILY) $(S)/mpi-std $(B)/mpi/mpi.i $(G)/coverage.txt \
	    $(S)/tests/every/calls $(S)/tests/every/every.c $@ >$(B)/every/summary || test $$? = 3

$(B)/programs/every: $(B)/every/every_calls.c $(call sources,tests/every) $(S)/tests/every/every.h
	@mkdir -p $(@D)
	$(call say,MPICC)$(MPICC) $(PROGRAM_FLAGS) -O0 $(MPI_FLAGS) -I$(S)/tests/every -I$(G) -o $@ $(filter %.c,$^)

$(P)/programs/%.so: $(S)/tests/preloads/%.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(PROGRAM_FLAGS) -fPIC -shared -o $@ $< -ldl

$(P)/programs/second_mixer.so: $(S)/tests/second/second_mixer.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(PROGRAM_FLAGS) -O2 -fPIC -shared -o $@ $<

# Libraries and pilgrim-merge whose writer makes some sections wrong, for tests/prove.
WRONG_small = type == SECTION_CALLS && !plain
WRONG_joint = type == SECTION_CALLS && ranks > 1
WRONG_all = type == SECTION_CALLS
WRONG_profile = type == SECTION_PROFILE
WRONG := $(B)/programs/wrong
WRONGS := $(patsubst %,$(WRONG)/libpilgrim-%.so,small joint all profile) $(patsubst %,$(WRONG)/pilgrim-merge-%,small joint all)

.PRECIOUS: $(WRONG)/%.o

$(WRONG)/%.o: $(S)/src/write/trace_writer.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(LIBRARY_FLAGS) -D'PILGRIM_WRONG(type,plain,ranks)=($(WRONG_$*))' -c -o $@ $<

$(WRONG)/libpilgrim-%.so: $(WRONG)/%.o $(filter-out %/trace_writer.o,$(CORE)) $(TRACER) $(P)/proof.o $(B)/preload.map
	$(PRELOAD_LINK)

$(WRONG)/pilgrim-merge-%: $(WRONG)/%.o $(MERGE) $(P)/libcore.a
	$(call say,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lzstd -lpthread $(DW_LIBS) -ldl

# What tests run, and benchmarks beside it.
CHECKED := $(addprefix $(B)/programs/,recorder scale) $(WRONGS)
BENCHES := $(CHECKED) $(addprefix $(B)/programs/,alloc bounded new_paths worst short_threads irregular_cost times_stores finalize.so span.so load load_check)

MEASURED := $(addprefix $(B)/programs/,bounded worst short_threads load)
$(MEASURED): $(S)/bench/measures.h
$(MEASURED) $(addprefix $(B)/programs/,overhead alloc new_paths): $(B)/programs/%: $(S)/bench/%.c
	@mkdir -p $(@D)
	$(PROGRAM_COMPILE)

$(B)/programs/finalize.so $(B)/programs/span.so: $(B)/programs/%.so: $(S)/bench/%.c
	@mkdir -p $(@D)
	$(call say,MPICC)$(MPICC) $(PROGRAM_FLAGS) -fPIC -shared -o $@ $< -ldl

$(B)/programs/load $(B)/programs/load_check: $(S)/bench/load_cases.h
$(B)/programs/load_check: $(S)/bench/load_check.c $(P)/libpilgrim-reader.a
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(BASE_FLAGS) -I$(S)/include $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(P)/libpilgrim-reader.a -lzstd

# Knows no MPI. It defines malloc and the like, as the library does: gcc must not take them for its own.
$(B)/programs/scale: $(call sources,bench/scale) $(wildcard $(S)/bench/scale/*.h) $(P)/libcore.a
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(filter-out $(DEPENDENCIES),$(BASE_FLAGS)) -fno-builtin-malloc -I$(S)/src -I$(S)/include $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) \
	    -o $@ $(filter %.c,$^) $(P)/libcore.a -lzstd -lpthread

# The same without MPI: from recorder to reader.
$(B)/programs/recorder: $(call sources,tests/recorder) $(wildcard $(S)/tests/recorder/*.h) $(P)/libcore.a
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(filter-out $(DEPENDENCIES),$(BASE_FLAGS)) -I$(S)/src -I$(S)/include -I$(S)/tests/recorder $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) \
	    -o $@ $(filter %.c,$^) $(P)/libcore.a -lzstd -lpthread -lm

$(B)/programs/irregular_cost $(B)/programs/times_stores: $(B)/programs/%: $(S)/bench/%.c $(P)/libcore.a
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(BASE_FLAGS) -I$(S)/src -I$(S)/include $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(P)/libcore.a -lzstd

units: $(if $(CHECK_LIBS),$(UNIT),units-missing)

units-missing:
	@echo 'units: left out, because Check is missing; make setup installs it, then configure again'

# Those that do more in the long run than they do under the sanitizers: the others run under these only.
THOROUGH := $(patsubst $(S)/%.c,$(B)/%,$(shell grep -lE '"(trials|hostile_trace)\.h"' $(S)/tests/unit/check_*.c))

# The tests themselves, not what they test: a third of the time to compile. Those that do much themselves are compiled a step less only.
$(filter-out $(THOROUGH),$(UNIT)): private CFLAGS := $(patsubst -O%,-O0 -U_FORTIFY_SOURCE,$(CFLAGS))
$(THOROUGH): private CFLAGS := $(patsubst -O2,-O1,$(patsubst -O1,-O0,$(CFLAGS)))

$(B)/tests/unit/%: $(S)/tests/unit/%.c $(P)/libanalysis.a $(P)/libcore.a
	$(if $(CHECK_LIBS),,$(error Check is missing; make setup installs it, then configure again))
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(BASE_FLAGS) -include $(S)/tests/unit/quick.h -I$(S)/src -I$(S)/include $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) \
	    -o $@ $< $(P)/libanalysis.a $(P)/libcore.a $(CHECK_LIBS) -lzstd -ldl

# A second build folder in the first: everything without MPI, and the two tools that need it to be made, under the address and
# undefined behaviour sanitizers. With clang, so that the fuzzers (tests/fuzz) are made of the same objects; where there is none, with
# the compiler of the rest.
SANITIZE := -O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
SANITIZE_CLANG := $(SANITIZE) -fsanitize=fuzzer-no-link -Wno-missing-field-initializers
HAS_CLANG = echo 'int main(void) { return 0; }' | clang -x c -fsanitize=address,undefined,fuzzer-no-link -o $(B)/asan/try - 2>/dev/null
asan_configure = cd $(B)/asan && $(S)/configure -q --without-mpi

asan: $(S)/configure
	@mkdir -p $(B)/asan
	@test -f $(B)/asan/config.mk || { if $(HAS_CLANG); then $(asan_configure) CC=clang CFLAGS='$(SANITIZE_CLANG)'; else \
	    echo 'asan: without clang, which the fuzzers need'; $(asan_configure) CFLAGS='$(SANITIZE)'; fi; }
	@$(MAKE) --no-print-directory BUILD=$(B)/asan all units
	@mpicc=$$(sed -n 's/^MPICC = //p' $(B)/config.mk 2>/dev/null); cc=$$(sed -n 's/^CC = //p' $(B)/asan/config.mk); \
	    test -z "$$mpicc" || { $(MAKE) --no-print-directory BUILD=$(B) $(B)/generated/sources.mk && $(MAKE) --no-print-directory \
	    BUILD=$(B)/asan G=$(G) REPLAY_CC="env MPICH_CC=$$cc OMPI_CC=$$cc $$mpicc" $(addprefix $(B)/asan/,pilgrim-generate pilgrim-replay); }

# The tools that the fuzzers call are compiled in, main by another name. A new target: its name here.
FUZZERS := reader merge options journal top waits diff convert

fuzz: $(S)/configure
	@mkdir -p $(B)/asan
	@$(HAS_CLANG) || { echo 'clang is missing; make setup LONG=1 installs it' >&2; exit 1; }
	@grep -qs '^CC = clang' $(B)/asan/config.mk || { rm -rf $(B)/asan && mkdir $(B)/asan && $(asan_configure) CC=clang CFLAGS='$(SANITIZE_CLANG)'; }
	@$(MAKE) --no-print-directory BUILD=$(B)/asan fuzzers

fuzzers: $(addprefix $(B)/fuzz_,$(FUZZERS))

$(B)/obj/fuzz/pilgrim-decode.o: $(S)/decoder/pilgrim-decode.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(PROGRAM_FLAGS) -I$(S)/src -Dmain=decode_main -Wno-missing-prototypes -c -o $@ $<

$(B)/obj/fuzz/pilgrim-merge.o: $(S)/tools/merge/pilgrim-merge.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(PROGRAM_FLAGS) -I$(S)/src -Dmain=merge_main -Wno-missing-prototypes -c -o $@ $<

$(B)/obj/fuzz/pilgrim-top.o: $(S)/tools/top/pilgrim-top.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(PROGRAM_FLAGS) -I$(S)/src -Dmain=top_main -Wno-missing-prototypes -c -o $@ $<

$(B)/obj/fuzz/pilgrim-waits.o: $(S)/tools/waits/pilgrim-waits.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(PROGRAM_FLAGS) -I$(S)/src -Dmain=waits_main -Wno-missing-prototypes -c -o $@ $<

$(B)/obj/fuzz/pilgrim-diff.o: $(S)/tools/diff/pilgrim-diff.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(PROGRAM_FLAGS) -I$(S)/src -Dmain=diff_main -Wno-missing-prototypes -c -o $@ $<

$(B)/obj/fuzz/%.o: $(S)/tests/fuzz/%.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(PROGRAM_FLAGS) -I$(S)/src -I$(S)/tests/fuzz -I$(S)/tests/unit -c -o $@ $<

# The decoder and its reader as one object: the decoder has names that libcore.a has, too.
$(B)/decoder.o: $(B)/obj/fuzz/pilgrim-decode.o $(filter-out %/pilgrim-decode.o,$(DECODER)) $(P)/libanalysis.a $(P)/reader.o
	$(call say,LD)ld -r -o $@ $^ && objcopy $(addprefix --keep-global-symbol=,decode_main options_parse options_free list_has) $@

FUZZ_LINK = $(call say,LINK)$(CC) $(CFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ -lzstd -lpthread -lm $(DW_LIBS) -ldl

$(B)/fuzz_top: $(addprefix $(B)/obj/fuzz/,fuzz_top.o journal_blocks.o pilgrim-top.o) $(filter-out %/pilgrim-top.o,$(TOP)) $(P)/libcore.a
	$(FUZZ_LINK)

$(B)/fuzz_waits: $(addprefix $(B)/obj/fuzz/,fuzz_waits.o sections.o pilgrim-waits.o) $(filter-out %/pilgrim-waits.o,$(WAITS)) $(P)/libcore.a
	$(FUZZ_LINK)

$(B)/fuzz_convert: $(addprefix $(B)/obj/fuzz/,fuzz_convert.o sections.o) $(filter-out %/pilgrim-convert.o,$(CONVERT)) $(P)/libcore.a
	$(call say,LINK)$(CC) $(CFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ -lzstd -lpthread -lm $(DW_LIBS) $(OTF2_LIBS) -ldl

$(B)/fuzz_diff: $(addprefix $(B)/obj/fuzz/,fuzz_diff.o sections.o pilgrim-diff.o) $(filter-out %/pilgrim-diff.o,$(DIFF)) $(P)/libcore.a
	$(FUZZ_LINK)

$(B)/fuzz_%: $(B)/obj/fuzz/fuzz_%.o $(addprefix $(B)/obj/fuzz/,sections.o journal_blocks.o pilgrim-merge.o) \
    $(filter-out %/pilgrim-merge.o,$(MERGE)) $(B)/decoder.o $(P)/libcore.a
	$(FUZZ_LINK)

# A third one: the tracer under the thread sanitizer, and what its test runs.
tsan: $(S)/configure
	@mkdir -p $(B)/tsan
	@test -f $(B)/tsan/config.mk || (cd $(B)/tsan && $(S)/configure -q MPICC='$(MPICC)' CFLAGS='-O1 -g1 -fsanitize=thread')
	@$(MAKE) --no-print-directory BUILD=$(B)/tsan \
	    $(addprefix $(B)/tsan/,libpilgrim.so $(addprefix programs/,threads crowd churn asking) $(if $(CHECK_LIBS),$(addprefix tests/unit/,check_heap check_requests check_segments)))

# The other MPI family, in a build folder in this one: only what knows MPI is compiled again.
other: $(S)/configure all programs
	@mkdir -p $(B)/other
	@test -f $(B)/other/config.mk || (cd $(B)/other && $(S)/configure -q MPICC='$(OTHER_MPICC)' \
	    CC='$(CC)' CFLAGS='$(CFLAGS)' CPPFLAGS='$(CPPFLAGS)' LDFLAGS='$(LDFLAGS)')
	@$(MAKE) --no-print-directory BUILD=$(B)/other PLAIN_BUILD=$(B) all programs

# What `make check` and `make check-long` run.
checked checked-long: WERROR := 1
checked checked-long: all programs $(CHECKED) $(if $(PYTHON_INCLUDE),python)
checked: units
checked-long: $(if $(CHECK_LIBS),$(THOROUGH),units-missing) $(BENCHES)
	@$(MAKE) --no-print-directory BUILD=$(B) asan WERROR=$(WERROR)
	@if $(HAS_CLANG); then $(MAKE) --no-print-directory BUILD=$(B) fuzz WERROR=$(WERROR); fi
	@$(MAKE) --no-print-directory BUILD=$(B) tsan WERROR=$(WERROR)
	$(if $(OTHER_MPICC),@$(MAKE) --no-print-directory BUILD=$(B) other WERROR=$(WERROR))

run-check-long: checked-long
	@MPICC='$(MPICC)' MPIEXEC='$(MPIEXEC)' CC='$(CC)' $(S)/tests/run-all --long $(B)

run-check: checked
	@MPICC='$(MPICC)' MPIEXEC='$(MPIEXEC)' CC='$(CC)' $(S)/tests/run-all $(B)

run-check-apps: all programs
	$(if $(OTHER_MPICC),@$(MAKE) --no-print-directory BUILD=$(B) other)
	@for build in $(B) $(wildcard $(B)/other); do \
	    BUILD=$$build MPIEXEC=$$(sed -n 's/^MPIEXEC = //p' $$build/config.mk) $(S)/tests/apps/check-apps || failed=1; \
	done; exit $${failed:-0}

# What the demonstration shows.
demonstrated: $(B)/libpilgrim.so $(B)/pilgrim-run $(B)/pilgrim-decode $(B)/pilgrim $(B)/programs/stencil2d

run-demo:
	@MPIEXEC='$(MPIEXEC)' $(S)/scripts/demo.sh $(B)

run-bench: all programs $(BENCHES)
	@for part in size irregular ranks finalize scale overhead worst alloc threads decode analysis convert; do MPIEXEC='$(MPIEXEC)' $(S)/bench/$$part.sh $(B) || exit 1; done
	@MPIEXEC='$(MPIEXEC)' python3 $(S)/bench/times_stores.py $(B)
	@MPIEXEC='$(MPIEXEC)' python3 $(S)/bench/whole.py $(B)
	@MPIEXEC='$(MPIEXEC)' python3 $(S)/bench/times.py $(B)
	@MPIEXEC='$(MPIEXEC)' python3 $(S)/bench/replay.py $(B)

coverage: $(G)/sources.mk
	@cat $(G)/coverage.txt

# ---- installation ----

COMPLETIONS := bash:bash-completion/completions/pilgrim-decode bash:bash-completion/completions/pilgrim zsh:zsh/site-functions/_pilgrim-decode \
    fish:fish/vendor_completions.d/pilgrim-decode.fish fish:fish/vendor_completions.d/pilgrim.fish

ifeq ($(origin PREFIX),command line)
$(error PREFIX=$(PREFIX) means nothing here: the folder is prefix=$(PREFIX), in small letters)
endif

install: all $(if $(PYTHON_INCLUDE),python)
	install -d $(DESTDIR)$(bindir) $(DESTDIR)$(libdir)/pkgconfig $(DESTDIR)$(includedir)/pilgrim $(DESTDIR)$(mandir)/man1
	install -m 755 $(TOOLS) $(DESTDIR)$(bindir)
	install -m 755 $(filter %.so,$(LIBRARIES)) $(DESTDIR)$(libdir)
	cd $(DESTDIR)$(libdir) && mv libpilgrim-reader.so libpilgrim-reader.so.$(ABI) && ln -sf libpilgrim-reader.so.$(ABI) libpilgrim-reader.so
	install -m 644 $(filter %.a,$(LIBRARIES)) $(DESTDIR)$(libdir)
	install -m 644 $(B)/pilgrim.pc $(B)/pilgrim-analysis.pc $(DESTDIR)$(libdir)/pkgconfig
	install -m 644 $(wildcard $(S)/include/pilgrim/*.h) $(DESTDIR)$(includedir)/pilgrim
	install -m 644 $(MAN) $(DESTDIR)$(mandir)/man1
	$(if $(DECODER),@for pair in $(COMPLETIONS); do \
	    file=$(DESTDIR)$(datarootdir)/$${pair#*:}; install -d "$${file%/*}" && \
	    $(B)/pilgrim-decode --completion=$${pair%%:*} >"$$file" || exit 1; done)

	$(if $(PYTHON_INCLUDE),install -d $(DESTDIR)$(pythondir)/pilgrim && \
	    install -m 644 $(PYMODULE_FILES) $(DESTDIR)$(pythondir)/pilgrim && install -m 755 $(PYMODULE) $(DESTDIR)$(pythondir)/pilgrim)
	$(if $(PYTHON_INCLUDE),@$(PYTHON) -c 'import sys; sys.argv[1] in sys.path or print("install: for import pilgrim, say: export PYTHONPATH=" + sys.argv[1])' $(pythondir))

# What install leaves, with the same settings; the folder of the headers stays if it has others, too.
uninstall:
	rm -f $(addprefix $(DESTDIR)$(bindir)/,$(notdir $(TOOLS))) $(addprefix $(DESTDIR)$(libdir)/,$(notdir $(LIBRARIES)) libpilgrim-reader.so.$(ABI)) \
	    $(addprefix $(DESTDIR)$(libdir)/pkgconfig/,pilgrim.pc pilgrim-analysis.pc) $(addprefix $(DESTDIR)$(mandir)/man1/,$(notdir $(MAN))) \
	    $(addprefix $(DESTDIR)$(datarootdir)/,$(foreach pair,$(COMPLETIONS),$(lastword $(subst :, ,$(pair)))))
	rm -f $(addprefix $(DESTDIR)$(includedir)/pilgrim/,$(notdir $(wildcard $(S)/include/pilgrim/*.h)))
	-rmdir $(DESTDIR)$(includedir)/pilgrim
	$(if $(PYTHON_INCLUDE),rm -rf $(DESTDIR)$(pythondir)/pilgrim)

clean:
	rm -rf $(addprefix $(B)/,obj python generated generated.new mpi programs every tests asan tsan other scratch demo bench \
	    reader.o proof.o analysis.o tracer.o allocator.o libcore.a libanalysis.a libpilgrim-analysis.a dictionary.inc example.inc example-10.inc libc_version.h preload.map libpilgrim.so libpilgrim.a \
	    libpilgrim-reader.a libpilgrim-reader.so libpilgrim-reader.so.$(ABI) \
	    pilgrim-gen pilgrim-generate pilgrim pilgrim-run pilgrim-convert pilgrim-decode pilgrim-diff pilgrim-merge pilgrim-replay pilgrim-report pilgrim-top pilgrim-waits page.html.inc page.css.inc script.inc)

distclean: clean
	rm -rf $(addprefix $(B)/,config.mk config.status config.log Makefile pilgrim.pc pilgrim-analysis.pc)
	-rmdir $(B)
	rm -rf $(S)/configure $(S)/autom4te.cache

-include $(shell test -d $(B) && find $(B)/obj $(B)/programs $(B)/tests -name '*.d' 2>/dev/null)
