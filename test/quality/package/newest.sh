#!/usr/bin/env bash
# Uses the packed package with the newest vitest, msw and Playwright on each version of Node: on Node 20 with the newest
# that support it. Their types and ours compile together with TypeScript 5.9 and 7.
set -euo pipefail
cd "$(dirname "$0")/../../.."
repo=$PWD

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

main() {
  npm pack --silent --pack-destination "$dir" >/dev/null
  check 20 4 2
  local version
  for version in ${1:-22 24 26}; do check "$version" latest latest; done
  echo 'newest: ok'
}

check() {
  local node=$1 vitest=$2 msw=$3
  mkdir "$dir/node$node" "$dir/user$node"
  # `node` on the registry is the binary itself: nothing is downloaded by a script.
  npm install --silent --no-save --prefix "$dir/node$node" "node@$node" >/dev/null
  cd "$dir/user$node"
  echo '{ "name": "user", "private": true, "type": "module" }' >package.json
  npm install --silent --prefer-offline --no-audit --ignore-scripts "$dir"/*.tgz "vitest@$vitest" "msw@$msw" \
    @playwright/test@latest "@types/node@$node" typescript5@npm:typescript@5.9 typescript7@npm:typescript@7
  compile 5
  compile 7
  PATH=$dir/node$node/node_modules/node/bin:$PATH use
  PATH=$dir/node$node/node_modules/node/bin:$PATH search
  echo "Node $node: vitest $(version_of vitest), msw $(version_of msw), Playwright $(version_of @playwright/test)"
}

compile() {
  cp "$repo"/test/quality/package/consumer/*.ts .
  cat >tsconfig.json <<'END'
{ "compilerOptions": { "module": "nodenext", "target": "es2022", "strict": true, "noEmit": true, "skipLibCheck": false,
  "types": ["node"], "lib": ["ES2023", "DOM", "DOM.Iterable"] }, "files": ["main.ts", "peers.ts"] }
END
  node "node_modules/typescript$1/bin/tsc" -p . || fail "the declarations with TypeScript $1"
}

use() {
  cp "$repo/test/integrations/vitest/suite/fixtures.js" fixtures.test.js
  node node_modules/vitest/vitest.mjs run --root . >log 2>&1 || { cat log >&2; fail 'the fixtures of vitest'; }
  node --input-type=module -e "
    import { test } from '@playwright/test'
    import { setupServer } from 'msw/node'
    import { createMock } from 'paylink-mock'
    import { paylinkHandlers } from 'paylink-mock/msw'
    import { paylinkTest } from 'paylink-mock/playwright'
    paylinkTest(test)
    setupServer(...paylinkHandlers(createMock(), 'https://api.example.com/v1')).listen({ onUnhandledRequest: 'error' })
    const { status } = await fetch('https://api.example.com/v1/projects/acme/users')
    if (status !== 401) throw new Error('msw returned ' + status)
    process.exit()
  " || fail 'msw and Playwright'
}

# A suite is a program for the searches.
search() {
  local suite=(node node_modules/vitest/vitest.mjs run --root . shop.test.js) code=0
  cp "$repo/test/quality/package/consumer/shop.test.js" .
  npx --no-install paylink-mock explore --seed empty --effects reset -- "${suite[@]}" >log 2>&1 || code=$?
  [ "$code" = 1 ] && grep -qF -- '--only 1.after.reset' log || { cat log >&2; fail 'explore with a suite'; }
  node node_modules/.bin/paylink-mock --port 0 --log silent >ready &
  local pid=$!
  for _ in $(seq 100); do [ -s ready ] && break; sleep 0.1; done
  npx --no-install paylink-mock compare --base-url "$(sed 's/.* on //' ready)" -- "${suite[@]}" >log 2>&1 ||
    { cat log >&2; kill "$pid"; fail 'compare with a suite'; }
  kill "$pid"
  wait "$pid"
}

version_of() {
  node -p 'JSON.parse(require("node:fs").readFileSync(`node_modules/${process.argv[1]}/package.json`, "utf8")).version' "$1"
}

fail() {
  echo "newest: $1 failed in $(basename "$PWD")" >&2
  exit 1
}

main "$@"
