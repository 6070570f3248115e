#!/usr/bin/env bash
# Packs the package, installs it into an empty folder as a user would, and uses it from there in every way there is.
set -euo pipefail
cd "$(dirname "$0")/../../.."
repo=$PWD

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

main() {
  pack
  echo 'package: its metadata'
  check_metadata
  echo 'package: alone'
  check_alone
  check_bin
  check_import
  check_require
  install_peers
  echo 'package: its declarations'
  compile nodenext main
  compile bundler main
  compile nodenext peers '"node"'
  compile bundler peers '"node"'
  echo 'package: with its peers'
  check_readme
  check_peers
  check_oldest_vitest
  check_jest
  echo 'package: ok'
}

pack() {
  local line
  line=$(grep -m 1 '^npm install --save-dev \.\./paylink-mock/' "$repo/docs/install.md") || fail 'docs/install.md does not install the package'
  mkdir "$dir/paylink-mock" "$dir/user"
  npm pack --silent --pack-destination "$dir/paylink-mock" >/dev/null
  cd "$dir/user"
  echo '{ "name": "user", "private": true }' >package.json
  # As the page prints it, in a folder beside the clone.
  $line --silent --prefer-offline --no-audit
}

fail() {
  echo "package: $1" >&2
  exit 1
}

# The entries, files and types that package.json names are in the package.
check_metadata() {
  local packed=("$dir"/paylink-mock/*.tgz)
  "$repo/node_modules/.bin/publint" run "${packed[0]}" --strict >log || { cat log >&2; fail 'publint'; }
  "$repo/node_modules/.bin/attw" "${packed[0]}" --profile esm-only >log || { cat log >&2; fail 'attw'; }
}

# What a user gets is this one package, without a dependency. What needs a peer names it.
check_alone() {
  local found peer
  found=$(cd node_modules && echo [!.]*)
  [ "$found" = paylink-mock ] || fail "installs $found"
  for peer in vitest msw; do
    node -e "import('paylink-mock/$peer').catch(({ message }) => console.log(message))" |
      grep -q "^Cannot find package '$peer' imported from [^ ]*\$" || fail "does not name the peer $peer"
  done
}

check_bin() {
  local version
  version=$(npx --no-install paylink-mock --version)
  [ "$version" = "$(node -p "require('$repo/package.json').version")" ] || fail "the bin says $version"
  npx --no-install paylink-mock validate node_modules/paylink-mock/fixtures/demo.json >/dev/null
  # Through the link in .bin, as a script of a package.json starts it.
  node_modules/.bin/paylink-mock --port 0 --log silent >ready &
  local pid=$!
  for _ in $(seq 100); do [ -s ready ] && break; sleep 0.1; done
  npx --no-install paylink-mock health "$(sed 's/.* on //' ready)" >/dev/null || fail 'the started bin does not respond'
  kill "$pid"
  wait "$pid" || fail "the bin ended with $?"
}

check_import() {
  cp "$repo"/test/quality/package/consumer/*.ts .
  local said
  said=$(node --input-type=module -e "
    import { createMock } from 'paylink-mock'
    import { connect } from 'paylink-mock/client'
    import { matchers } from 'paylink-mock/matchers'
    import { paylinkWorker } from 'paylink-mock/worker'
    const mock = createMock()
    const { url } = await mock.listen()
    const link = await connect(url).project('acme').paymentLinks.create({ invoice: 'inv_1' })
    console.log(typeof paylinkWorker().Project, link.status, (await matchers.toHaveNoViolations(mock)).pass)
    await mock.close()
  ")
  [ "$said" = 'function active true' ] || fail "an import says: $said"
}

# The package is ESM alone. Node 20.19 and later can require that; earlier ones say what to do.
check_require() {
  cat >required.cjs <<'END'
const { createMock } = require('paylink-mock')
const { connect } = require('paylink-mock/client')
const { matchers } = require('paylink-mock/matchers')
createMock().project('acme').users.create({ email: 'ada@example.com' })
  .then(({ email }) => console.log(email, typeof connect, typeof matchers))
END
  local said
  said=$(node required.cjs)
  [ "$said" = 'ada@example.com function object' ] || fail "a require says: $said"
}

install_peers() {
  npm pkg set type=module
  # The versions that the project itself is tested with.
  node -p "['typescript', '@types/node', 'vitest', '@playwright/test', 'msw']
    .map((name) => name + '@' + require('$repo/package.json').devDependencies[name]).join('\n')" |
    xargs npm install --silent --prefer-offline --no-audit --ignore-scripts
}

compile() {
  local module=$1
  [ "$module" = bundler ] && module=esnext
  cat >tsconfig.json <<END
{ "compilerOptions": { "module": "$module", "moduleResolution": "$1", "target": "es2022", "strict": true,
  "exactOptionalPropertyTypes": true,
  "noEmit": true, "skipLibCheck": false, "types": [${3-}],
  "lib": ["ES2023", "DOM", "DOM.Iterable"] }, "files": ["$2.ts"] }
END
  node_modules/.bin/tsc -p . || fail "$2.ts does not compile under $1"
}

# The first test of the README.
check_readme() {
  awk '/^```ts$/ { n++; inside = 1; next } /^```$/ { inside = 0 } inside && n == 1' "$repo/README.md" >paid.test.ts
  node_modules/.bin/vitest run --root . >log 2>&1 || { cat log >&2; fail 'the test of the README'; }
  rm paid.test.ts
}

check_peers() {
  cp "$repo/test/integrations/vitest/suite/fixtures.js" fixtures.test.js
  node_modules/.bin/vitest run --root . >log 2>&1 || { cat log >&2; fail 'the fixtures of vitest'; }
  node --input-type=module -e "
    import { setupServer } from 'msw/node'
    import { createMock } from 'paylink-mock'
    import { paylinkHandlers } from 'paylink-mock/msw'
    setupServer(...paylinkHandlers(createMock(), 'https://api.example.com/v1')).listen({ onUnhandledRequest: 'error' })
    const { status } = await fetch('https://api.example.com/v1/projects/acme/users')
    if (status !== 401) throw new Error('msw returned ' + status)
  " || fail 'the handlers of msw'
  node -e "import('paylink-mock/playwright').then(({ paylinkTest }) => paylinkTest(require('@playwright/test').test))" ||
    fail 'the fixtures of Playwright'
}

# The oldest that the peer dependency admits.
check_oldest_vitest() {
  npm install --silent --prefer-offline --no-audit --ignore-scripts vitest@4.1.0
  node_modules/.bin/vitest run --root . >log 2>&1 || { cat log >&2; fail 'the fixtures of vitest 4.1'; }
}

# The recipe of the guide. Jest is not a devDependency: this is its only use.
check_jest() {
  mkdir jest
  awk '/^```js$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$repo/docs/testing.md" >jest/recipe.test.js
  grep -q '@jest/globals' jest/recipe.test.js || fail 'the guide has no recipe for jest'
  npm install --silent --prefer-offline --no-audit --ignore-scripts jest@30
  cp "$repo/test/quality/package/consumer/hundred.js" jest/hundred.test.js
  cp "$repo/test/quality/package/consumer/jest.cjs" jest/commonjs.test.cjs
  # In this very process, which must end by itself: jest would say so, and wait.
  run_jest jest/ >log 2>&1 || { cat log >&2; fail 'the recipe for jest'; }
  ! grep -q 'did not exit' log || { cat log >&2; fail 'jest does not end'; }
  check_jest_error
}

run_jest() {
  NODE_OPTIONS=--experimental-vm-modules timeout 120 node_modules/.bin/jest --runInBand "$@"
}

# A failed verification prints the line of the test and the nearest request.
check_jest_error() {
  mkdir failing
  cp "$repo/test/integrations/runners/suite/jest.js" failing/verify.test.js
  ! run_jest failing/ >log 2>&1 || fail 'the failing test of jest passes'
  local line
  line=$(grep -n 'requests.verify' failing/verify.test.js | cut -d : -f 1)
  grep -q "(failing/verify.test.js:$line:" log || { cat log >&2; fail 'jest does not print the line of the test'; }
  grep -q 'GET /projects/acme/users' log || { cat log >&2; fail 'jest prints no nearest request'; }
}

main
