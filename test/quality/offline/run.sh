#!/usr/bin/env bash
# Proves: Outbound.
# Runs the tests in a network namespace that has loopback alone; arguments go to vitest, so that some folders can be named.
set -euo pipefail
cd "$(dirname "$0")/../../.."

skip() {
  echo "offline: skipped, $1"
  exit 0
}

for tool in unshare ip; do
  command -v "$tool" >/dev/null && continue
  # Where nobody reads the output a skip would pass for a success.
  [ "${CI-}" = true ] || skip "there is no $tool"
  { apt-get update && apt-get install -y --no-install-recommends util-linux iproute2; } >/dev/null
done

# Root needs no user namespace, and others may not be allowed one.
for how in '--net' '--map-root-user --net'; do
  # shellcheck disable=SC2086
  if unshare $how ip link set lo up 2>/dev/null; then
    # The build comes first: it is made from what is there, and no test of the network.
    node .build.js
    # shellcheck disable=SC2086
    exec unshare $how sh -euc '
      ip link set lo up
      # That nothing leads out is the point of it all.
      ! node -e "fetch(\"http://192.0.2.1\").catch((e) => process.exit(e.cause.code === \"ENETUNREACH\" ? 1 : 0))" ||
        { echo "offline: failed, there is a way out" >&2; exit 1; }
      exec npx --no-install vitest run --config test/vitest.config.ts "$@"' offline "$@"
  fi
done
skip 'no privilege to unshare the network'
