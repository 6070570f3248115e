#!/usr/bin/env bash
# The suites of the interface, on the built package, in every runtime that is supported: each test as it stands in
# test/api and test/control, with the runner of test/quality/runtimes in place of vitest.
set -euo pipefail
cd "$(dirname "$0")/../../.."

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

main() {
  node .build.js
  node test/quality/runtimes/bundle.js "$dir"
  local version
  for version in 20 22 24 26; do
    # `node` on the registry is the binary itself: nothing is downloaded by a script.
    npm install --silent --no-save --prefix "$dir/$version" "node@$version" >/dev/null
    suites "node $version" "$dir/$version/node_modules/node/bin/node"
  done
  suites bun npx --yes -p bun@1 bun
  suites deno npx --yes -p deno@2 deno run --allow-all
  # workerd by its own simulator; it has no socket to listen on, so that what needs one is left out.
  npm install --silent --no-save --prefix "$dir" miniflare@4 >/dev/null
  say workerd node test/quality/runtimes/workerd.js "$dir"
  say 'durable objects' node test/quality/runtimes/objects.js
  echo 'runtimes: ok'
}

suites() {
  local name=$1
  shift
  say "$name" "$@" "$dir/process.mjs"
}

# Runs a command, and says how many passed; where some failed, what they said.
say() {
  local name=$1
  shift
  "$@" >"$dir/log" 2>&1 || { tail -n 60 "$dir/log" >&2; echo "runtimes: $name failed" >&2; exit 1; }
  echo "$name: $(tail -n 1 "$dir/log")"
}

main
