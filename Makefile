# `make` alone lists the targets.

PREFIX = /usr/local
DESTDIR =
BUILD = .build/release
FUZZ_SECONDS = 60
SEEDS = 10000
POINTS = 200000
KILLS = 1000
FAULTS = 30
PEERS_ARGS =

# The programs are linked statically with Swift's library, so that they run without Swift.
#
# An idle daemon touches few pages: the programs export no functions, because no library calls them; their relocations are packed;
# and the functions of a start are next to each other, as those of a request are (Scripts/function-order) and those that have no name
# (Scripts/sections.ld). For this, each function has a section of its own. docs/performance.md has what this saves.
#
# The compiler optimizes the functions that requests execute often: Scripts/request-profile has counted them. `PROFILE=` builds without.
# The profile names a private function with its file, and by the last flag without the folder of the build.
#
# `-z relro` and `-z now` fill the tables of imported functions at the start and make them read-only, so that an attacker cannot
# overwrite them. swiftc makes programs that can be loaded at any address (PIE) by itself.
PROFILE = $(CURDIR)/Scripts/requests.profdata
RELEASE = -c release --static-swift-stdlib -Xswiftc -use-ld=lld -Xswiftc -Xfrontend -Xswiftc -function-sections \
	-Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now \
	-Xlinker --no-export-dynamic -Xlinker -z -Xlinker pack-relative-relocs \
	-Xlinker --symbol-ordering-file=$(CURDIR)/Scripts/function-order.txt -Xlinker --no-warn-symbol-ordering \
	-Xlinker $(CURDIR)/Scripts/sections.ld \
	$(if $(PROFILE),-Xswiftc -Xfrontend -Xswiftc -ir-profile-use=$(PROFILE) -Xswiftc -Xllvm -Xswiftc -static-func-full-module-prefix=false)

# What `--version` names.
commit = $(shell Scripts/commit)

bin = $(DESTDIR)$(PREFIX)/bin
# Debian's packages have their units in /lib.
UNITS = $(PREFIX)/lib/systemd/system
units = $(DESTDIR)$(UNITS)
sysusers = $(DESTDIR)$(PREFIX)/lib/sysusers.d
share = $(DESTDIR)$(PREFIX)/share/gamed
man = $(DESTDIR)$(PREFIX)/share/man
bash = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH = $(PREFIX)/share/zsh/site-functions
zsh = $(DESTDIR)$(ZSH)
fish = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
doc = $(DESTDIR)$(PREFIX)/share/doc/gamed
pages = $(wildcard README.md LICENSE CHANGELOG.md SECURITY.md CONTRIBUTING.md)
# The directories that `uninstall` removes below DESTDIR if they are empty, the innermost first.
directories = $(bin) $(units) $(sysusers) $(share) $(man)/man8 $(man)/man7 $(man)/man5 $(man)/man1 $(bash) $(zsh) $(fish) \
	$(doc)/docs/screenshots $(doc)/docs $(doc)/drop-ins $(doc)
# The manual pages, such as gamed.8, and the units.
manuals = $(notdir $(wildcard docs/man/*.[1578]))
# A unit for the daemon and one for instances is made of each Service/*.in, such as gamed.service and gamed@.service.
unit_names = gamed.service gamed.socket gamed-backup.service gamed-backup.timer
unit_files = $(unit_names) $(foreach name,$(unit_names),$(basename $(name))@$(suffix $(name)))
# What the units of gamed and of an instance have in place of the marks in Service/*.in.
plain_unit = s|@PREFIX@|$(PREFIX)|g; s|@SUFFIX@||g; s|@INSTANCE@||g; s|@NAME@|gamed|g; s|@OPTIONS@||; s|@DESCRIPTION@||
instance_unit = s|@PREFIX@|$(PREFIX)|g; s|@SUFFIX@|-%i|g; s|@INSTANCE@|@|g; s|@NAME@|NAME|g; \
	s|@OPTIONS@| --config /etc/gamed/%i.conf|; s|@DESCRIPTION@| (%i)|
# In an installed page, a link to a file that is not installed becomes its text and the path in the source code.
installed_links = s,\[([^]]*)\]\((\.\./)*((Sources|Clients|debian-packages\.txt)[^)]*)\),\1 (`\3` in the source code),g
needed = $(shell sed -n '/^\[run\]/,/^\[/s/^\([a-z0-9][^ ]*\).*/\1/p' debian-packages.txt)

.PHONY: help run room quiz build python deb image release test test-long adapters test-packages generate api lint install uninstall instructions library-cost figures bench bench-peers fuzz simulate explore kills soak cluster-soak upgrade screenshots docs clean

help:
	@echo 'Run'
	@echo '  make run          builds and runs the daemon; ARGS="--clock virtual" passes options'
	@echo '  make room         runs the escape room of Examples/vault with simulated devices'
	@echo '  make quiz         plays the quiz night of Examples/quiz-night with six simulated phones'
	@echo '  make build        builds the programs in $(BUILD)'
	@echo '  make api          writes the public symbols of the library to api/'
	@echo '  make install      installs programs, unit, man pages and completions; PREFIX=$(PREFIX) DESTDIR='
	@echo '  make uninstall    removes what install has installed'
	@echo '  make deb          builds Debian packages, in .build/deb'
	@echo '  make image        builds an image for container engines from the packages, in .build/image; needs root'
	@echo '  make release      makes the commit and the tag of VERSION=, packages, image and checksums, in .build/release-VERSION'
	@echo '  make python       builds the wheel of the Python client, in .build/python'
	@echo 'Test'
	@echo '  make test         runs the tests; TEST_ARGS=unit, process or browser selects a group,'
	@echo '                    TEST_ARGS="--filter TimerQueue" selects by name'
	@echo '  make test-long    more seeds, power cuts and kills, all web pages, the example daemon: 10 minutes'
	@echo '  make adapters     tests the adapters to other Swift packages, with stand-ins for these'
	@echo '  make test-packages installs, upgrades and purges the Debian packages under a systemd of its own, and runs the image;'
	@echo '                    needs root'
	@echo '  make lint         checks format, scripts, links, man pages and the systemd unit'
	@echo '  make fuzz         sends random lines, requests and packets; FUZZ_SECONDS=$(FUZZ_SECONDS)'
	@echo '  make simulate     simulates faults of clients, clock and disk, by seed; SEEDS=$(SEEDS)'
	@echo '                    CLUSTER=1 for nodes with a database'
	@echo '  make explore      cuts the power at every write of the journal; POINTS=$(POINTS)'
	@echo '  make kills        kills the daemon under load and checks the journal; KILLS=$(KILLS)'
	@echo '  make soak         simulate, explore and kills: 100 000 seeds, 1 000 000 points, 1000 kills: 1.5 hours'
	@echo '  make cluster-soak kills nodes and primaries of three PostgreSQL servers under Patroni; FAULTS=$(FAULTS)'
	@echo '  make upgrade      upgrades three nodes under load from the programs in the directory OLD='
	@echo 'Measure and maintain'
	@echo '  make figures      prints figures about the structure of the code, and the functions of one request'
	@echo '  make instructions counts the instructions of events and requests, and fails if a count has changed'
	@echo '  make library-cost measures builds and size of a package that uses GameFlow and Timers alone'
	@echo '  make bench        compares the daemon with plain libevent, SQLite and gen_statem'
	@echo '  make bench-peers  compares the daemon with Redis, PostgreSQL, nchan, libevent, Erlang and others, as a table, JSON and SVG;'
	@echo '                    PEERS_ARGS="--rounds 3 transition beats" selects rounds and parts'
	@echo '  make generate     writes manuals, completions and tables of the docs from the code'
	@echo '  make screenshots  draws the screenshots in docs/'
	@echo '  make docs         builds the documentation of the library with DocC, in .build/docs'
	@echo '  make clean        removes build products'

run: build
	@exec Scripts/run $(ARGS)

room: build
	@exec Examples/vault/room/run $(ARGS)

quiz: build
	@Scripts/quiz $(ARGS)

build:
	@Scripts/setup build
	GAMED_COMMIT=$(commit) swift build $(RELEASE) --product gamed
	GAMED_COMMIT=$(commit) swift build $(RELEASE) --product gamectl

python:
	@Scripts/setup test
	@Scripts/wheel

deb:
	@Scripts/setup deb
	@Scripts/deb

# Pushes nothing; see docs/releases.md.
release:
	@Scripts/release root && Scripts/release tag '$(VERSION)'
	Scripts/release files

test:
	@Scripts/setup test
	Scripts/test $(TEST_ARGS)
	.build/optimized/release/gamectl test Examples/scenarios/*.scenario Examples/vault/*.scenario

# The long tests. First come more cases of the tests that need only the processor. Then come the tests with other programs:
# kills of daemons and of cluster nodes, browsers, packages that depend on gamed. If all these tests ran side by side, the tests
# with other programs would wait too long for the processor.
long_cases = SimulationTests|StuckSessionModelTests|RecordReaderTests|RecordCodecTests|JSONRequestTests|SessionIndexTests|JournalReadingTests|ClusterSessionsTests|PowerCutTests|TwinTests|IdlePendulumTests|MutationTests|GameTests|FlowsTests|CounterfactualReplayTests|RecordingTests|HostileRowTests|SessionsTests|FailingStoreTests|TimerQueueTests|PercentileTests|MillionPressesTests|H4FramerTests
long_programs = CrashTests|NodeWatchTests|WaitingOutputTests|ClusterTests|ClusterOperationsTests|NodeOutputTests|KillTests|BrowserPlayTests|BrowserDeskTests|OwnDaemonTests|OutsidePackageTests|CodeBlockTests|HandleRacesTests|PeersTests|AdditionsTests|HomeAssistantProgramTests

test-long:
	@Scripts/setup test
	@Scripts/setup long
	@Scripts/setup peers
	GAMED_TEST_LONG=1 Scripts/test --filter '$(long_cases)'
	GAMED_TEST_LONG=1 Scripts/test --filter '$(long_programs)'

# The packages to which Adapters connects gamed cannot be downloaded on every machine. Adapters/Tests/StandIns has what is used of them.
adapters:
	@Scripts/setup build
	GAMED_STAND_INS=1 swift test --disable-xctest --package-path Adapters

image: deb
	@Scripts/setup packages
	@Scripts/image

test-packages: image
	Scripts/test-packages
	Scripts/test-image

docs:
	swift build
	@Scripts/docs

# Writes the public symbols of each library product to api/.
api:
	swift build
	@Scripts/api

# If GAMED_GENERATE is set, the tests that compare the generated texts with the tables also write these texts.
generate:
	GAMED_GENERATE=1 swift test --disable-xctest --filter GeneratedTextTests

lint:
	@Scripts/setup lint
	@Scripts/lint

# Builds only if the programs are missing: root often has no Swift.
install:
	@test -x $(BUILD)/gamed || $(MAKE) build
	install -d $(bin) $(units) $(sysusers) $(share) $(man)/man8 $(man)/man7 $(man)/man5 $(man)/man1 $(doc)/docs/screenshots
	install -m 755 $(BUILD)/gamed $(bin)/gamed
	if test -x $(BUILD)/gamectl; then install -m 755 $(BUILD)/gamectl $(bin)/gamectl; fi
	for unit in $(unit_names); do \
	    sed '$(plain_unit)' Service/$$unit.in >$(units)/$$unit || exit 1; \
	    sed '$(instance_unit)' Service/$$unit.in >$(units)/$${unit%.*}@.$${unit##*.} || exit 1; done
	chmod 644 $(unit_files:%=$(units)/%)
	install -m 644 Service/gamed.sysusers $(sysusers)/gamed.conf
	install -m 644 Service/gamed.conf Service/dashboard.json Service/alerts.rules.yml $(share)
	install -m 755 Service/backup $(share)/backup
	for page in $(manuals); do install -m 644 docs/man/$$page $(man)/man$${page##*.}/$$page || exit 1; done
	install -d $(bash) $(zsh) $(fish)
	for program in gamed gamectl; do \
	    install -m 644 Completions/$$program.bash $(bash)/$$program; \
	    install -m 644 Completions/_$$program $(zsh)/_$$program; \
	    install -m 644 Completions/$$program.fish $(fish)/$$program.fish; done
	for page in $(pages) docs/*.md; do \
	    sed -E '$(installed_links)' "$$page" >"$(doc)/$$page" && chmod 644 "$(doc)/$$page" || exit 1; done
	install -d $(doc)/drop-ins
	install -m 644 Service/drop-ins/* $(doc)/drop-ins
	install -m 644 docs/screenshots/*.png $(doc)/docs/screenshots
	find Examples -type f -not -path '*/.*' | while read -r file; do \
	    install -D -m "$$(stat -c %a "$$file")" "$$file" "$(doc)/$$file"; done
	@echo 'The programs need these Debian packages:'
	@echo '    apt-get install $(needed)'
	@if test -z "$(DESTDIR)" && test "$$(id -u)" -eq 0 && test -d /run/systemd/system; then \
	    echo 'Now: systemd-sysusers && systemctl daemon-reload && systemctl enable --now gamed.socket gamed'; fi

# Below DESTDIR, `rmdir -p` also removes the parents. A directory that is gone already is made again for it.
uninstall:
	rm -f $(bin)/gamed $(bin)/gamectl $(unit_files:%=$(units)/%) $(sysusers)/gamed.conf
	rm -f $(share)/gamed.conf $(share)/dashboard.json $(share)/alerts.rules.yml $(share)/backup
	rm -f $(bash)/gamed $(bash)/gamectl $(zsh)/_gamed $(zsh)/_gamectl
	rm -f $(fish)/gamed.fish $(fish)/gamectl.fish
	for page in $(manuals); do rm -f $(man)/man$${page##*.}/$$page; done
	rm -f $(pages:%=$(doc)/%)
	rm -f $(patsubst %,$(doc)/%,$(wildcard docs/*.md docs/screenshots/*.png))
	rm -f $(patsubst Service/%,$(doc)/%,$(wildcard Service/drop-ins/*))
	rm -rf $(doc)/Examples
	if test -d $(doc); then rmdir --ignore-fail-on-non-empty $(wildcard $(doc)/docs/screenshots $(doc)/docs $(doc)/drop-ins) $(doc); fi
	if test -n "$(DESTDIR)"; then for directory in $(directories); do \
	    ! test -d "$$(dirname "$$directory")" || (cd "$(DESTDIR)/" && \
	    path="$${directory#$(DESTDIR)/}" && mkdir -p "$$path" && rmdir -p --ignore-fail-on-non-empty "$$path"); done; fi

instructions: build
	@Scripts/setup bench
	Benchmarks/instructions --check
	Scripts/function-order --check

library-cost:
	@Scripts/setup build
	Scripts/library-cost

figures: build
	@Scripts/setup bench
	@Scripts/figures --profile

bench:
	@Scripts/setup bench
	@Benchmarks/run

bench-peers: build
	@Scripts/setup peers
	GAMED_INTERNAL_PRODUCTS=1 swift build --package-path Benchmarks -c release --product FlowBench
	cd Benchmarks && ../.venv-peers/bin/python -m peers $(PEERS_ARGS)

fuzz:
	@Scripts/setup build
	@Fuzz/run $(FUZZ_SECONDS)

simulate:
	@Scripts/setup build
	swift build -c release --product simulate
	.build/release/simulate $(if $(CLUSTER),--cluster) $(SEEDS)

explore:
	@Scripts/setup build
	swift build -c release --product explore
	.build/release/explore $(POINTS)

kills: build
	@Scripts/setup test
	.venv/bin/python Tests/gamedTests/Clients/kills $(BUILD)/gamed --rounds $(KILLS) --within .build

# Too long for CI: about an hour and a half on two cores.
soak:
	$(MAKE) simulate SEEDS=100000
	$(MAKE) explore POINTS=1000000
	$(MAKE) kills KILLS=1000

# Three nodes on three servers under Patroni and etcd: about ten minutes for 30 faults.
cluster-soak: build
	@Scripts/setup soak
	Scripts/cluster-soak $(FAULTS)

upgrade: build
	@Scripts/setup test
	Scripts/rolling-upgrade "$(OLD)"

clean:
	rm -rf .build .venv .venv-long .venv-peers Adapters/.build Benchmarks/.build Fuzz/.build Examples/*/.build

screenshots: build
	@Scripts/setup test
	@Scripts/screenshots
