// What is asked of every server, and what a right answer looks like.
const p = '/projects/acme'
const bodyOf = (answer) => JSON.parse(answer.body)

const ask = (method, path, body) => ({ method, path, ...(body !== undefined && { body: JSON.stringify(body) }) })
const is =
  (status, ...parts) =>
  (answer) =>
    answer.status === status && parts.every((part) => answer.body.includes(part))
      ? undefined
      : `not ${status} ${parts.join(' ')}`

const countOf = (answer) => answer.body.split('"object":').length - 2
const isListOf = (count) => (answer) =>
  answer.status === 200 && countOf(answer) === count ? undefined : `no list of ${count}`

let made = 0

/** The work, by its name; `ids` are those of users that are there, `links` those of active links. */
export const worksOn = ({ ids, email, links }) => ({
  'retrieve a user': {
    request: (i) => ask('GET', `${p}/users/${ids[i % ids.length]}`),
    check: (answer, { path }) => is(200, path.slice(path.lastIndexOf('/') + 1))(answer),
  },
  'list ten users': { request: () => ask('GET', `${p}/users`), check: isListOf(10) },
  'list ten canceled links': {
    request: () => ask('GET', `${p}/paymentLinks?status=canceled`),
    check: (answer) =>
      isListOf(10)(answer) ?? (answer.body.split('"status":"canceled"').length === 11 ? undefined : 'others'),
  },
  'search a user by email': {
    request: () => ask('POST', `${p}/users/search`, { email }),
    check: is(200, email),
  },
  'create a user': {
    request: () => ask('POST', `${p}/users`, { email: `new.${made++}@example.com`, fullName: 'Ada Lovelace' }),
    check: (answer, { body }) => is(201, JSON.parse(body).email)(answer),
  },
  'create a payment link': {
    request: () =>
      ask('POST', `${p}/paymentLinks`, { invoice: `inv_${made++}`, type: 'partner', partner: { user: {} } }),
    check: is(201, '"status":"active"'),
    keep: (answer) => links.push(bodyOf(answer).id),
  },
  'pay a payment link': {
    request: () => ask('POST', `/__admin${p}/paymentLinks/${links.pop()}/pay`),
    check: is(200, '"status":"completed"'),
    needs: 'create a payment link',
  },
})
