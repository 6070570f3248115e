/** The id of the n-th record of its kind: a counter, which costs next to nothing. */
export const idAt = (prefix, n) => `${prefix}_${n.toString(36).padStart(28, '0')}`

/** The records of a plain server, in creation order, with an index by id. */
export const createStore = (records) => {
  const users = []
  const links = []
  const byId = new Map()
  const add = (list, record) => {
    list.push(record)
    byId.set(record.id, record)
    return record
  }
  const addUser = ({ email, fullName = null, metadata = {}, birthday = null, preferredLocale = 'en-US' }) =>
    add(users, {
      object: 'user',
      id: idAt('usr', users.length),
      metadata,
      birthday,
      createdAt: new Date().toISOString(),
      email,
      emailVerified: true,
      fullName,
      preferredLocale,
    })
  const addLink = ({ invoice, redirectUrl = null }) => {
    const id = idAt('pml', links.length)
    return add(links, {
      object: 'paymentLink',
      id,
      canceledAt: null,
      completedAt: null,
      createdAt: new Date().toISOString(),
      partner: { redirectUrl },
      invoice,
      paymentUrl: `http://127.0.0.1/pay/acme/${id}`,
      status: 'active',
      type: 'partner',
    })
  }
  for (let i = 0; i < records; i++) addUser({ email: `ada.lovelace.${i}@example.com`, fullName: 'Ada Lovelace' })
  for (let i = 0; i < records; i++) addLink({ invoice: `inv_${i}` })
  return {
    addUser,
    addLink,
    get: (id) => byId.get(id),
    /** The newest users first, at most `limit`. */
    page: (limit) => {
      const items = users.slice(-limit).toReversed()
      const more = items.length < users.length
      return { object: 'list', items, moreItemsAfter: more ? items.at(-1).id : null, moreItemsBefore: null }
    },
  }
}
