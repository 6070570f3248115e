// Keeps a mock busy until it is killed: node test/properties/determinism/load.js URL. Says so on stdout once it is in full swing.
const [url] = process.argv.slice(2)
const headers = { authorization: 'Bearer t', accept: 'application/json', 'content-type': 'application/json' }

let completed = 0
const keepAsking = async (project) => {
  for (let i = 0; ; i++) {
    const users = `${url}/projects/${project}/users`
    await (
      await fetch(users, { method: 'POST', headers, body: JSON.stringify({ email: `load${i}@example.com` }) })
    ).text()
    await (await fetch(`${users}?limit=5`, { headers })).text()
    if (i % 20 === 19) await fetch(`${url}/__admin/projects/${project}/reset`, { method: 'POST' })
    if (++completed === 64) process.stdout.write('busy\n')
  }
}

await Promise.all(Array.from({ length: 16 }, (_, index) => keepAsking(`load-${index}`)))
