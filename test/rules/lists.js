// Lists: spec §2.4 and §8, and the lists of §4.1 and §4.2.

const lists = 'test/contract/lists.test.ts'
const links = 'test/contract/payment-links.test.ts'
const more = 'test/contract/more-rules.test.ts'

const filtered = { file: links, name: 'lists for %s the links %s' }
const paged = { file: lists, name: 'answers for %s the users %j' }
const tenNewest = { file: lists, name: 'lists the most recently created first, ten of them' }
const refusedLimit = { file: lists, name: 'refuses limit=%s' }
const refusedCursor = { file: lists, name: 'refuses as a cursor %s' }
const twoCursors = { file: lists, name: 'refuses both cursors together, and a cursor that stands twice' }
const goneCursor = { file: more, name: 'goneCursor=%s goes on %s a user that was deleted' }

/** @type {readonly import('./rules.js').Rule[]} */
export const listRules = [
  {
    id: 'list-object-is-list',
    spec: '§2.4',
    says: 'The object of a list is always list.',
    test: { file: lists, name: 'answers an empty list for a project without users' },
    without: { file: 'src/http/views.ts', replace: ['"object":"list"', '"object":"page"'] },
  },
  {
    id: 'more-items-after-is-the-last-of-the-batch',
    spec: '§2.4',
    says: 'When more follow, moreItemsAfter is the id to go on after.',
    test: paged,
    without: { file: 'src/domain/page.ts', replace: ['rows.at(-1)?.id ?? after', 'rows[0]?.id ?? after'] },
  },
  {
    id: 'more-items-after-is-null-at-the-end',
    spec: '§2.4',
    says: 'When nothing follows, moreItemsAfter is null.',
    test: paged,
    without: { file: 'src/domain/page.ts', replace: ['more ? (rows.at(-1)', 'rows.length > 0 ? (rows.at(-1)'] },
  },
  {
    id: 'more-items-before-is-the-first-of-the-batch',
    spec: '§2.4',
    says: 'When some precede, moreItemsBefore is the id to go back before.',
    test: paged,
    without: { file: 'src/domain/page.ts', replace: ['precedes ? first.id', 'precedes ? after.id'] },
  },
  {
    id: 'more-items-before-is-null-at-the-beginning',
    spec: '§2.4',
    says: 'When nothing precedes, moreItemsBefore is null.',
    test: paged,
    without: {
      file: 'src/domain/page.ts',
      replace: ['after !== undefined && first !== undefined && !isEmpty(walk(back, first))', 'first !== undefined'],
    },
  },
  {
    id: 'more-items-after-is-there-when-going-back',
    spec: '§2.4',
    says: 'A batch before a cursor tells that more items follow it.',
    test: paged,
    without: { file: 'src/domain/page.ts', replace: ['follows ? last.id : null', 'null'] },
  },
  {
    id: 'more-items-before-is-null-when-back-at-the-beginning',
    spec: '§2.4',
    says: 'A batch before a cursor tells that nothing precedes it.',
    test: paged,
    without: { file: 'src/domain/page.ts', replace: ['more ? (rows[0]', 'rows.length > 0 ? (rows[0]'] },
  },
  {
    id: 'markers-know-the-filter-onward',
    spec: '§2.4',
    says: 'moreItemsBefore counts only rows that pass the filter.',
    test: { file: more, name: 'has null markers when only rows outside the filter lie that way' },
    without: { file: 'src/domain/page.ts', replace: [' && !isEmpty(walk(back, first))', ''] },
  },
  {
    id: 'markers-know-the-filter-back',
    spec: '§2.4',
    says: 'moreItemsAfter counts only rows that pass the filter.',
    test: { file: more, name: 'has null markers when only rows outside the filter lie that way' },
    without: { file: 'src/domain/page.ts', replace: [' && !isEmpty(walk(direction, last))', ''] },
  },
  {
    id: 'an-empty-batch-hands-the-after-cursor-back',
    spec: 'open',
    says: 'With limit=0 moreItemsAfter is the given cursor when rows follow it.',
    test: paged,
    without: { file: 'src/domain/page.ts', replace: [' ?? after?.id', ''] },
  },
  {
    id: 'an-empty-batch-hands-the-before-cursor-back',
    spec: 'open',
    says: 'With limit=0 moreItemsBefore is the given cursor when rows precede it.',
    test: paged,
    without: { file: 'src/domain/page.ts', replace: ['?? before.id', '?? null'] },
  },
  {
    id: 'all-problems-of-a-query-at-once',
    spec: 'open',
    says: 'A refused query is told everything that is wrong with it.',
    test: { file: lists, name: 'names all problems of a query at once' },
    without: {
      file: 'src/http/guards.ts',
      replace: ['parsed.problems)),\n    ...(sent', 'parsed.problems).slice(0, 1)),\n    ...(sent'],
    },
  },
  {
    id: 'after-follows-its-cursor',
    spec: '§4.1',
    says: 'after answers the items that immediately follow it.',
    test: paged,
    without: { file: 'src/domain/page.ts', replace: ['walk(direction, after?.place)', 'walk(direction)'] },
  },
  {
    id: 'after-leaves-its-cursor-out',
    spec: '§4.1',
    says: 'The item that after names is not among its items.',
    test: paged,
    without: {
      file: 'src/domain/ordered-set.ts',
      replace: ['entriesReversed(from, [], true)', 'entriesReversed(from, [], false)'],
    },
  },
  {
    id: 'before-leaves-its-cursor-out',
    spec: '§4.1',
    says: 'The item that before names is not among its items.',
    test: paged,
    without: { file: 'src/domain/ordered-set.ts', replace: ['if (from !== undefined && ', 'if (from === null && '] },
  },
  {
    id: 'before-is-anchored-at-its-end',
    spec: '§4.1',
    says: 'before answers the items that immediately precede it, not the first of the list.',
    test: paged,
    without: { file: 'src/domain/page.ts', replace: ['reversed.toReversed()', 'take(walk(direction), limit)[0]'] },
  },
  {
    id: 'before-answers-in-the-order-of-the-list',
    spec: '§4.1',
    says: 'The items before a cursor stand in the order of the list.',
    test: paged,
    without: { file: 'src/domain/page.ts', replace: ['reversed.toReversed()', 'reversed'] },
  },
  {
    id: 'both-cursors-are-refused',
    spec: 'open',
    says: 'after and before do not go together.',
    test: twoCursors,
    without: {
      file: 'src/http/guards.ts',
      replace: ['sent.after !== undefined && sent.before !== undefined', 'sent.after === null'],
    },
  },
  {
    id: 'parameters-stand-once',
    spec: 'open',
    says: 'A parameter that stands twice is refused.',
    test: twoCursors,
    without: {
      file: 'src/schema/list.ts',
      replace: [
        "const once = z.string('must be given once')",
        'const once = z.preprocess((value) => (Array.isArray(value) ? value[0] : value), z.string())',
      ],
    },
  },
  {
    id: 'unknown-parameters-are-ignored',
    spec: 'open',
    says: 'A parameter that the interface does not know is ignored.',
    test: { file: more, name: 'ignores parameters that it does not know' },
    without: { file: 'src/schema/list.ts', replace: ['ListQuery = z.object({', 'ListQuery = z.strictObject({'] },
  },
  {
    id: 'cursors-exist',
    spec: 'open',
    says: 'A cursor that never was the id of a row of the list is refused.',
    test: refusedCursor,
    without: {
      file: 'src/domain/cursors.ts',
      replace: ['if (gone === undefined)\n', "if (gone === undefined) return 'nowhere'\n  if (gone === null)\n"],
    },
  },
  {
    id: 'cursors-get-a-hint',
    spec: 'open',
    says: 'A cursor of another kind or project is told where its row is.',
    test: refusedCursor,
    without: { file: 'src/domain/cursors.ts', replace: ['hint: whereabouts(work, kind, id)', 'hint: undefined'] },
  },
  {
    id: 'cursors-that-were-deleted-are-refused',
    spec: 'open',
    says: 'A cursor whose row was deleted is refused.',
    test: { file: lists, name: 'refuses as a cursor a user that was deleted' },
    without: {
      file: 'src/schema/behavior.ts',
      replace: ["['reject', 'resume', 'empty']", "['resume', 'reject', 'empty']"],
    },
  },
  {
    id: 'gone-cursor-resume',
    spec: 'open',
    says: 'With goneCursor=resume a list goes on from where the deleted row stood.',
    test: goneCursor,
    without: { file: 'src/domain/cursors.ts', replace: ["reading === 'resume' ?", "reading === 'never' ?"] },
  },
  {
    id: 'gone-cursor-empty',
    spec: 'open',
    says: 'With goneCursor=empty a cursor whose row was deleted has an empty page.',
    test: goneCursor,
    without: { file: 'src/domain/cursors.ts', replace: ["reading === 'resume' ?", "reading !== 'never' ?"] },
  },
  {
    id: 'users-are-sorted-newest-first',
    spec: '§4.1',
    says: 'The most recently created user is listed first.',
    test: tenNewest,
    without: {
      file: 'src/domain/users.ts',
      replace: [
        'work.state.users.walk(direction, from), query)',
        "work.state.users.walk(direction, from), query, () => 'rising')",
      ],
    },
  },
  {
    id: 'users-are-sorted-by-creation',
    spec: '§4.1',
    says: 'It is the time of creation that sorts users, not the order in which they came.',
    test: { file: more, name: 'is sorted by creation, whatever order the rows came in' },
    without: { file: 'src/domain/collection.ts', replace: ['compareTexts(a.createdAt, b.createdAt) || ', ''] },
  },
  {
    id: 'of-one-instant-the-later-is-newer',
    spec: 'open',
    says: 'Of two users of one instant the one that was created later is newer.',
    test: { file: lists, name: 'takes the later one of two users of the same instant as the newer' },
    without: {
      file: 'src/domain/collection.ts',
      replace: ['|| a.sequence - b.sequence', '|| b.sequence - a.sequence'],
    },
  },
  {
    id: 'payment-links-page-like-users',
    spec: '§4.2',
    says: 'after, before and limit behave as for users.',
    test: filtered,
    without: { file: 'src/schema/list.ts', replace: ['ListQuery.extend({\n  invoice', 'z.object({\n  invoice'] },
  },
  {
    id: 'payment-links-filter-by-invoice',
    spec: '§4.2',
    says: 'invoice answers only the links for that invoice.',
    test: filtered,
    without: {
      file: 'src/domain/payment-links.ts',
      replace: ["invoice === undefined ? 'status' : 'invoice'", "'status'"],
    },
  },
  {
    id: 'payment-links-filter-by-status',
    spec: '§4.2',
    says: 'status answers only the links of those statuses.',
    test: filtered,
    without: { file: 'src/domain/payment-links.ts', replace: ['new Set(status ?? ', 'new Set('] },
  },
  {
    id: 'status-is-a-comma-separated-list',
    spec: '§4.2',
    says: 'status may name several statuses, with commas between them.',
    test: filtered,
    without: {
      file: 'src/schema/list.ts',
      replace: ["text.split(',') as PaymentLinkStatus[]", "text.split(',').slice(0, 1) as PaymentLinkStatus[]"],
    },
  },
  {
    id: 'status-named-twice-lists-once',
    spec: '§4.2',
    says: 'A status that is named twice does not list its links twice.',
    test: filtered,
    without: {
      file: 'src/domain/payment-links.ts',
      replace: ['new Set(status ?? PaymentLinkStatus.options)', 'status ?? PaymentLinkStatus.options'],
    },
  },
  {
    id: 'status-is-one-of-three',
    spec: '§4.2',
    says: 'A status that is none of the three is refused, and so is an empty one.',
    test: { file: links, name: 'refuses status=%s' },
    without: { file: 'src/schema/list.ts', replace: ['PaymentLinkStatus.safeParse(one).success', "one !== '-'"] },
  },
  {
    id: 'filters-go-together',
    spec: '§4.2',
    says: 'invoice and status together answer the links that pass both.',
    test: filtered,
    without: {
      file: 'src/domain/payment-links.ts',
      replace: ['status ?? PaymentLinkStatus.options', '(invoice ? undefined : status) ?? PaymentLinkStatus.options'],
    },
  },
  {
    id: 'payment-links-are-sorted-newest-first',
    spec: 'open',
    says: 'The most recently created link is listed first.',
    test: filtered,
    without: {
      file: 'src/schema/behavior.ts',
      replace: ["['newestFirst', 'oldestFirst']", "['oldestFirst', 'newestFirst']"],
    },
  },
  {
    id: 'payment-link-order-oldest-first',
    spec: 'open',
    says: 'With paymentLinkOrder=oldestFirst the list is the exact reverse.',
    test: { file: more, name: 'paymentLinkOrder=oldestFirst is the exact reverse' },
    without: {
      file: 'src/domain/payment-links.ts',
      replace: ["'oldestFirst' ? 'rising' : 'falling'", "'oldestFirst' ? 'falling' : 'falling'"],
    },
  },
  {
    id: 'cursors-mark-a-place-in-the-whole-list',
    spec: 'open',
    says: 'A cursor stays good when its row leaves the filter between two pages.',
    test: { file: links, name: 'keeps a cursor good when its row leaves the filter between two pages' },
    without: {
      file: 'src/domain/cursors.ts',
      replace: [
        'const place = rows.placeOf(id)',
        "if (JSON.stringify(rows.get(id))?.includes('canceled\"')) return 'nowhere'\n  const place = rows.placeOf(id)",
      ],
    },
  },
  {
    id: 'limit-is-10-when-left-out',
    spec: '§8',
    says: 'A list without a limit answers ten items.',
    test: tenNewest,
    without: { file: 'src/schema/list.ts', replace: ['.default(10)', '.default(11)'] },
  },
  {
    id: 'limit-is-200-at-most',
    spec: '§8',
    says: 'A limit above 200 is refused.',
    test: refusedLimit,
    without: { file: 'src/schema/list.ts', replace: ['limit <= 200', 'limit <= 201'] },
  },
  {
    id: 'limit-may-be-200',
    spec: '§8',
    says: 'A limit of 200 is taken.',
    test: paged,
    without: { file: 'src/schema/list.ts', replace: ['limit <= 200', 'limit < 200'] },
  },
  {
    id: 'limit-may-be-0',
    spec: '§8',
    says: 'A limit of 0 is taken, and answers no items.',
    test: paged,
    without: { file: 'src/schema/list.ts', replace: ['limit <= 200', 'limit > 0 && limit <= 200'] },
  },
  {
    id: 'limit-is-not-negative',
    spec: '§8',
    says: 'A negative limit is refused.',
    test: refusedLimit,
    without: { file: 'src/schema/list.ts', replace: [String.raw`/^\d{1,3}$/`, String.raw`/^-?\d{1,3}$/`] },
  },
  {
    id: 'limit-is-an-integer',
    spec: '§8',
    says: 'A limit with a fraction is refused.',
    test: refusedLimit,
    without: { file: 'src/schema/list.ts', replace: [String.raw`/^\d{1,3}$/`, String.raw`/^\d{1,3}(?:\.\d)?$/`] },
  },
  {
    id: 'limit-is-written-in-plain-digits',
    spec: 'open',
    says: 'A limit that is empty, or written as 1e2 or 0x10, is refused.',
    test: refusedLimit,
    without: { file: 'src/schema/list.ts', replace: [String.raw`/^\d{1,3}$/`, String.raw`/^[\dex]{0,4}$/`] },
  },
]
