#!/usr/bin/env bash
# Runs Stryker, then fails for each surviving mutant that SURVIVORS.md does not explain.
set -euo pipefail
cd "$(dirname "$0")/../../.."

npx --yes @stryker-mutator/core@9.6.1 run test/quality/mutation/stryker.config.js
node test/quality/mutation/check.js
