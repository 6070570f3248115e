#!/usr/bin/env bash
# Proves: Determinism.
# The bytes of the determinism scenario, each time in another time zone and locale, and the tests of the library, on each
# version of Node that is supported.
# `runtimes` runs the tests of the interface on them.
set -euo pipefail
cd "$(dirname "$0")/../../.."

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

node .build.js
first=
zones=(UTC Pacific/Kiritimati Asia/Kathmandu America/St_Johns)
locales=(C tr_TR.UTF-8 de_DE.UTF-8 ar_EG.UTF-8)
for version in 20 22 24 26; do
  mkdir -p "$dir/$version"
  # `node` on the registry is the binary itself: nothing is downloaded by a script.
  npm install --silent --no-save --prefix "$dir/$version" "node@$version" >/dev/null
  node="$dir/$version/node_modules/node/bin/node"
  index=$(((version - 20) / 2))
  hash=$(TZ=${zones[index]} LC_ALL=${locales[index]} "$node" test/properties/determinism/scenario.js 16)
  echo "node $("$node" --version): $hash"
  first=${first:-$hash}
  [ "$hash" = "$first" ] || { echo "node $version returns other bytes" >&2; exit 1; }
  PATH="$dir/$version/node_modules/node/bin:$PATH" "$node" node_modules/vitest/vitest.mjs run \
    --config test/vitest.config.ts test/integrations --exclude 'test/integrations/*/**' >"$dir/log" 2>&1 ||
    { tail -n 60 "$dir/log" >&2; exit 1; }
done
echo 'nodes: ok'
