GO      ?= go
ROUNDS  ?= 5
FLAGS   ?=
TESTFLAGS ?=
SOURCES := $(shell find cmd docs sweep runtimes store charts -type f ! -name '*_test.go') go.mod go.sum

export CGO_ENABLED ?= 0

.PHONY: all build sweep test catalogue-test race lint vuln golden fuzz bench bench-load bench-long calibrate faults check clean
all: build

build: bin/versweep ## build bin/versweep, statically linked
bin/versweep: $(SOURCES)
	$(GO) build -trimpath -o $@ ./cmd/versweep

sweep: build ## measure the newest release of every Node line, print the table, draw node-qps.png
	bin/versweep run node --source npm --rounds $(ROUNDS) -o node-qps.png --yes $(FLAGS)

test: ## vet and run all tests; the summary names those that were left out
	$(GO) vet ./...
	$(GO) run gotest.tools/gotestsum@v1.13.0 --format pkgname -- $(TESTFLAGS) ./...

catalogue-test: ## build and measure every target of the catalogue in containers, which takes long
	VERSWEEP_TEST_ENGINE=1 VERSWEEP_TEST_CATALOGUE=all $(GO) test ./runtimes -run TestEngineCatalogue -v -count 1 -timeout 2h

race: ## the same with the race detector, which needs a C compiler
	CGO_ENABLED=1 $(GO) test -race ./...

lint: ## formatting, tidy module file, static analysis
	@test -z "$$(gofmt -l cmd docs sweep runtimes store charts)" || { gofmt -d cmd docs sweep runtimes store charts; exit 1; }
	$(GO) mod tidy -diff
	$(GO) run honnef.co/go/tools/cmd/staticcheck@2026.1 ./...

# Offline, VULNDB=file:///DIR of a copy of the database: data/osv of the sources of
# golang.org/x/vulndb will do.
VULNDB ?=
vuln: ## known vulnerabilities that versweep can reach, but for accepted ones; asks Go's vulnerability database
	$(GO) run golang.org/x/vuln/cmd/govulncheck@v1.9.0 -format json $(if $(VULNDB),-db $(VULNDB)) ./... | $(GO) run ./cmd/vulns

golden: ## write the expected pictures, tables and schema anew; look at them before committing
	$(GO) test ./charts -update
	$(GO) test ./runtimes -run Schema -update

FUZZTIME ?= 30s
fuzz: ## fuzz what reads input from outside, $(FUZZTIME) each
	$(GO) test ./sweep -run '^$$' -fuzz '^FuzzParseVersion$$' -fuzztime $(FUZZTIME)
	$(GO) test ./sweep/stats -run '^$$' -fuzz '^FuzzFindSteps$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 20x
	$(GO) test ./sweep/load -run '^$$' -fuzz '^FuzzParser$$' -fuzztime $(FUZZTIME)
	$(GO) test ./store/import -run '^$$' -fuzz '^FuzzCSV$$' -fuzztime $(FUZZTIME)
	$(GO) test ./charts -run '^$$' -fuzz '^FuzzAxes$$' -fuzztime $(FUZZTIME)
	$(GO) test ./charts -run '^$$' -fuzz '^FuzzPrintable$$' -fuzztime $(FUZZTIME)
	$(GO) test ./runtimes -run '^$$' -fuzz '^FuzzDefinition$$' -fuzztime $(FUZZTIME)
	$(GO) test ./cmd/versweep/settings -run '^$$' -fuzz '^FuzzSettings$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 20x
	$(GO) test ./runtimes -run '^$$' -fuzz '^FuzzVersionsOfTags$$' -fuzztime $(FUZZTIME)
	$(GO) test ./store/import -run '^$$' -fuzz '^FuzzRead$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 20x

bench: ## benchmarks of every package
	$(GO) test -run '^$$' -bench . -benchmem ./...

bench-load: build ## the load engine beside wrk, ab and others, in one run, as ratios
	$(GO) run ./cmd/benchload $(FLAGS)

faults: ## bring faults about, with engines and disks of its own, and write docs/faults.md; needs root
	$(GO) run ./cmd/faults -o docs/faults.md

bench-long: build ## every command on a store of 1,000 simulated nights: time, memory, sizes
	$(GO) run ./cmd/longuse $(FLAGS)

calibrate: ## how often the methods go wrong, on simulated sweeps: the tables of docs/method.md
	$(GO) run ./cmd/calibrate $(FLAGS)

check: lint test race ## what to run before a commit

clean:
	rm -rf bin node-qps.png
