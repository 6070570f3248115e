/** The id of the n-th record of its kind: a counter, which costs next to nothing. */
export const idAt = (prefix, n) => `${prefix}_${n.toString(36).padStart(28, '0')}`

/** The records of a handwritten mock: in creation order, with indexes by id and by email. */
export const createStore = (records) => {
  const users = []
  const links = []
  const byId = new Map()
  const byEmail = new Map()
  let places = 0
  const add = (list, record) => {
    list.push(record)
    byId.set(record.id, { record, place: places++ })
    return record
  }
  const addUser = ({ email, fullName = null, metadata = {}, birthday = null, preferredLocale = 'en-US' }) => {
    const user = add(users, {
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
    const folded = email.toLowerCase()
    const same = byEmail.get(folded)
    if (same) same.push(user)
    else byEmail.set(folded, [user])
    return user
  }
  const addLink = ({ invoice, redirectUrl = null }, status = 'active') => {
    const id = idAt('pml', links.length)
    const at = new Date().toISOString()
    return add(links, {
      object: 'paymentLink',
      id,
      canceledAt: status === 'canceled' ? at : null,
      completedAt: status === 'completed' ? at : null,
      createdAt: at,
      partner: { redirectUrl },
      invoice,
      paymentUrl: `http://127.0.0.1/pay/acme/${id}`,
      status,
      type: 'partner',
    })
  }
  for (let i = 0; i < records; i++) addUser({ email: `ada.lovelace.${i}@example.com`, fullName: 'Ada Lovelace' })
  for (let i = 0; i < records; i++)
    addLink({ invoice: `inv_${i}` }, ['active', 'active', 'completed', 'canceled'][i % 4])
  return {
    users,
    links,
    addUser,
    addLink,
    get: (id) => byId.get(id)?.record,
    /** The newest first, at most `limit`, of those that pass. */
    page: (list, limit, passes) => {
      const items = []
      for (let i = list.length - 1; i >= 0 && items.length <= limit; i--)
        if (passes === undefined || passes(list[i])) items.push(list[i])
      const more = items.length > limit
      if (more) items.pop()
      return { object: 'list', items, moreItemsAfter: more ? items.at(-1).id : null, moreItemsBefore: null }
    },
    withEmail: (email) => byEmail.get(email.toLowerCase()) ?? [],
  }
}
