#!/usr/bin/env bash
# Runs the examples as their users would: installed from the packed package, in copies beside each other.
set -euo pipefail
cd "$(dirname "$0")/../../.."

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
npm pack --silent --pack-destination "$dir" >/dev/null
cp -r examples "$dir"

CHROMIUM_PATH=${CHROMIUM_PATH:-$(command -v chromium-headless-shell || command -v chromium || true)}
export CHROMIUM_PATH

for example in vitest node-test playwright msw web-service; do
  echo "examples: $example"
  (
    cd "$dir/examples/$example"
    npm install --silent --prefer-offline --no-audit --ignore-scripts
    npm --silent test >"$dir/log" 2>&1
  ) || { cat "$dir/log" >&2; echo "examples: $example failed" >&2; exit 1; }
done

# Without an engine of containers, the package replaces the image.
echo 'examples: compose'
cd "$dir/examples/compose"
../node-test/node_modules/.bin/paylink-mock --port 0 --seed seed.json --admin-token secret --log silent >"$dir/ready" &
server=$!
trap 'kill $server; rm -rf "$dir"' EXIT
for _ in $(seq 100); do
  [ -s "$dir/ready" ] && break
  sleep 0.1
done
PAYLINK_MOCK_URL=$(sed 's/.* on //' "$dir/ready") ADMIN_TOKEN=secret node --test

echo 'examples: compare'
cd "$dir/examples/compare"
BASE_URL=$(sed 's/.* on //' "$dir/ready")
for program in 'node probe.js' 'python3 probe.py'; do
  TOKEN=any ../node-test/node_modules/.bin/paylink-mock compare --base-url "$BASE_URL" -- $program
done
echo 'examples: ok'
