// Users: spec §2.2, and §4.1 but for its lists.

const users = 'test/contract/users.test.ts'
const more = 'test/contract/more-rules.test.ts'
const rows = 'test/control/rows.test.ts'

const created = { file: users, name: 'answers the created user, with what was left out filled in' }
const updated = { file: users, name: 'sets of %j only what is passed' }
const refusedUser = { file: users, name: 'refuses %j and names every problem at once' }
const found = { file: users, name: 'finds for the email %j the users %j' }
const metadataLimits = { file: more, name: 'metadataLimits=strings refuses %s' }
const duplicate = { file: more, name: 'duplicateEmail=conflict refuses the email of another user, whatever its case' }

/** @type {readonly import('./rules.js').Rule[]} */
export const userRules = [
  {
    id: 'user-ids-start-with-usr',
    spec: '§2.1',
    says: 'The id of a user is usr_ and an opaque suffix.',
    test: created,
    without: { file: 'src/domain/users.ts', replace: ["newId('usr')", "newId('pml')"] },
  },
  {
    id: 'pinned-ids-have-the-prefix-of-their-kind',
    spec: '§2.1',
    says: 'An id that a test pins has the prefix of its kind, too.',
    test: { file: rows, name: 'refuses %j' },
    without: { file: 'src/schema/user.ts', replace: ["resourceId('usr')", 'z.string()'] },
  },
  {
    id: 'user-object-is-user',
    spec: '§2.2',
    says: 'The object of a user is always user.',
    test: created,
    without: { file: 'src/domain/fill.ts', replace: ["object: 'user'", "object: 'person'"] },
  },
  {
    id: 'metadata-is-empty-when-left-out',
    spec: '§2.2',
    says: 'A user that is created without metadata has an empty set of them.',
    test: created,
    without: { file: 'src/domain/users.ts', replace: ['body.metadata ?? {}', 'body.metadata ?? { made: true }'] },
  },
  {
    id: 'metadata-is-an-object',
    spec: '§2.2',
    says: 'Metadata are key-value pairs: an array is refused.',
    test: refusedUser,
    without: {
      file: 'src/schema/fields.ts',
      replace: [
        "value === 'object' && value !== null && !Array.isArray(value)",
        "value === 'object' && value !== null",
      ],
    },
  },
  {
    id: 'metadata-is-not-null',
    spec: 'open',
    says: 'Metadata as a whole is never null.',
    test: refusedUser,
    without: {
      file: 'src/http/users.ts',
      replace: [
        'body: UserCreate,',
        'body: UserCreate.extend({ metadata: UserCreate.shape.metadata.nullable().transform((given) => given ?? undefined) }),',
      ],
    },
  },
  {
    id: 'metadata-values-are-any-json',
    spec: 'open',
    says: 'A value of metadata may be any JSON value.',
    test: { file: users, name: 'keeps everything that was passed' },
    without: { file: 'src/schema/behavior.ts', replace: ["['none', 'strings']", "['strings', 'none']"] },
  },
  {
    id: 'metadata-values-are-never-null',
    spec: 'open',
    says: 'Null as a value of metadata is not stored.',
    test: { file: users, name: 'never stores null as a value of metadata' },
    without: { file: 'src/domain/fill.ts', replace: ['.includes(null)', '.includes(undefined)'] },
  },
  {
    id: 'metadata-keys-are-plain-data',
    spec: 'open',
    says: 'A key of metadata may be a name of the language, such as __proto__.',
    test: { file: users, name: 'keeps keys of metadata that are names of the language' },
    without: {
      file: 'src/schema/user.ts',
      replace: ['metadata: Metadata.optional()', 'metadata: z.record(z.string(), z.unknown()).optional()'],
    },
  },
  {
    id: 'metadata-limits-ten-keys',
    spec: 'open',
    says: 'With metadataLimits=strings an eleventh key is refused.',
    test: metadataLimits,
    without: { file: 'src/domain/users.ts', replace: ['keys.length > 10 ?', 'keys.length > 11 ?'] },
  },
  {
    id: 'metadata-limits-count-what-an-update-leaves',
    spec: 'open',
    says: 'With metadataLimits=strings the keys that an update leaves are counted, not those that it passes.',
    test: {
      file: 'test/contract/metadata-limits.test.ts',
      name: 'counts the keys that an update leaves, not those that it passes',
    },
    without: {
      file: 'src/domain/users.ts',
      replace: ['refuseLargeMetadata(work, next)', 'refuseLargeMetadata(work, withoutNulls(passed))'],
    },
  },
  {
    id: 'metadata-limits-40-characters-of-a-key',
    spec: 'open',
    says: 'With metadataLimits=strings a key of 41 characters is refused.',
    test: metadataLimits,
    without: { file: 'src/domain/users.ts', replace: ['key.length > 40', 'key.length > 41'] },
  },
  {
    id: 'metadata-limits-keys-are-not-empty',
    spec: 'open',
    says: 'With metadataLimits=strings an empty key is refused.',
    test: metadataLimits,
    without: { file: 'src/domain/users.ts', replace: ['key.length < 1', 'key.length < 0'] },
  },
  {
    id: 'metadata-limits-strings',
    spec: 'open',
    says: 'With metadataLimits=strings a value that is no string is refused.',
    test: metadataLimits,
    without: {
      file: 'src/domain/users.ts',
      replace: ["typeof metadata[key] !== 'string' || ", "typeof metadata[key] === 'string' && "],
    },
  },
  {
    id: 'metadata-limits-255-characters-of-a-value',
    spec: 'open',
    says: 'With metadataLimits=strings a value of 256 characters is refused.',
    test: metadataLimits,
    without: { file: 'src/domain/users.ts', replace: ['metadata[key].length > 255', 'metadata[key].length > 256'] },
  },
  {
    id: 'birthday-is-a-real-date',
    spec: '§2.2',
    says: 'A birthday is a date of the calendar, YYYY-MM-DD.',
    test: refusedUser,
    without: { file: 'src/schema/field.ts', replace: ['z.iso.date(', 'z.string('] },
  },
  {
    id: 'birthday-may-be-null',
    spec: '§2.2',
    says: 'A birthday may be null.',
    test: updated,
    without: {
      file: 'src/http/users.ts',
      replace: [
        'body: UserUpdate,',
        'body: UserUpdate.extend({ birthday: UserUpdate.shape.birthday.unwrap().unwrap().optional() }),',
      ],
    },
  },
  {
    id: 'birthday-is-null-when-left-out',
    spec: '§2.2',
    says: 'A user that is created without a birthday has none.',
    test: created,
    without: { file: 'src/domain/fill.ts', replace: ['seed.birthday ?? null', "seed.birthday ?? '2000-01-01'"] },
  },
  {
    id: 'user-created-at-is-the-time-of-its-creation',
    spec: '§2.2',
    says: 'createdAt is the time at which the user was created.',
    test: created,
    without: { file: 'src/domain/users.ts', replace: ['createdAt: work.now', "createdAt: '2000-01-01T00:00:00.000Z'"] },
  },
  {
    id: 'email-is-an-address',
    spec: '§2.2',
    says: 'An email that cannot be an address is refused.',
    test: refusedUser,
    without: { file: 'src/schema/field.ts', replace: ['.regex(address, ', '.regex(/./, '] },
  },
  {
    id: 'email-may-be-any-address',
    spec: 'open',
    says: 'An email is refused only when it cannot be an address.',
    test: { file: more, name: 'may be %s, and is kept as it was sent' },
    without: { file: 'src/schema/field.ts', replace: ['.regex(address, ', String.raw`.regex(/^[\w.+]+@\w+\.\w+$/, `] },
  },
  {
    id: 'email-verified-on-create',
    spec: 'open',
    says: 'The email of a new user is taken for verified.',
    test: created,
    without: { file: 'src/schema/behavior.ts', replace: ['[true, false]', '[false, true]'] },
  },
  {
    id: 'email-verified-on-create-false',
    spec: 'open',
    says: 'With emailVerifiedOnCreate=false the email of a new user is not verified.',
    test: { file: more, name: 'emailVerifiedOnCreate=false leaves a new email unverified' },
    without: {
      file: 'src/domain/users.ts',
      replace: ["= work.behave('emailVerifiedOnCreate')", "= work.behave('emailVerifiedOnCreate') || true"],
    },
  },
  {
    id: 'full-name-is-text',
    spec: '§2.2',
    says: 'A full name is a string.',
    test: refusedUser,
    without: {
      file: 'src/http/users.ts',
      replace: ['body: UserCreate,', 'body: UserCreate.extend({ fullName: UserCreate.shape.fullName.catch(null) }),'],
    },
  },
  {
    id: 'full-name-may-be-null',
    spec: '§2.2',
    says: 'A full name may be null.',
    test: updated,
    without: {
      file: 'src/http/users.ts',
      replace: [
        'body: UserUpdate,',
        'body: UserUpdate.extend({ fullName: UserUpdate.shape.fullName.unwrap().unwrap().optional() }),',
      ],
    },
  },
  {
    id: 'full-name-is-null-when-left-out',
    spec: '§2.2',
    says: 'A user that is created without a full name has none.',
    test: created,
    without: { file: 'src/domain/fill.ts', replace: ['seed.fullName ?? null', "seed.fullName ?? ''"] },
  },
  {
    id: 'preferred-locale-is-a-language-tag',
    spec: '§2.2',
    says: 'A preferred locale that is not an IETF language tag is refused.',
    test: refusedUser,
    without: { file: 'src/schema/field.ts', replace: ['languageTag.test(tag)', "tag !== ''"] },
  },
  {
    id: 'preferred-locale-may-be-any-language-tag',
    spec: '§2.2',
    says: 'A preferred locale need not be of the form xx-XX.',
    test: { file: users, name: 'keeps everything that was passed' },
    without: { file: 'src/schema/field.ts', replace: ['languageTag.test(tag)', '/^[a-z]{2}-[A-Z]{2}$/.test(tag)'] },
  },
  {
    id: 'a-missing-user-is-404',
    spec: 'open',
    says: 'A user that does not exist is not found.',
    test: { file: users, name: 'refuses an id that does not exist' },
    without: { file: 'src/schema/error.ts', replace: ['userNotFound: [404', 'userNotFound: [410'] },
  },
  {
    id: 'read-only-fields-are-ignored',
    spec: '§4.1',
    says: 'Only the fields of the create body are taken from it.',
    test: { file: users, name: 'ignores read-only and unknown fields' },
    without: { file: 'src/schema/user.ts', replace: ['UserCreate = z.object({', 'UserCreate = z.looseObject({'] },
  },
  {
    id: 'delete-removes-the-user',
    spec: '§4.1',
    says: 'A user that was deleted is gone.',
    test: { file: users, name: 'answers the user as it was, and then it is gone' },
    without: { file: 'src/domain/transaction.ts', replace: ['this.state.users.remove(user.id)', 'this.state.users'] },
  },
  {
    id: 'delete-answers-the-user-as-it-was',
    spec: '§4.1',
    says: 'A delete answers the user as it was.',
    test: { file: users, name: 'answers the user as it was, and then it is gone' },
    without: {
      file: 'src/http/users.ts',
      replace: ['deleteUser(work, params.user!)', "({ ...deleteUser(work, params.user!), fullName: 'Deleted' })"],
    },
  },
  {
    id: 'delete-takes-nothing-else',
    spec: 'open',
    says: 'Deleting a user deletes nothing else.',
    test: { file: more, name: 'takes no payment link with it' },
    without: {
      file: 'src/domain/transaction.ts',
      replace: [
        'users: this.state.users.remove(user.id)',
        "users: this.state.users.remove(user.id), paymentLinks: this.state.paymentLinks.remove('pml_1')",
      ],
    },
  },
  {
    id: 'update-leaves-alone-what-is-not-passed',
    spec: '§4.1',
    says: 'An update sets only the parameters that are passed.',
    test: updated,
    without: {
      file: 'src/domain/users.ts',
      replace: ['body.birthday === undefined ? user.birthday : body.birthday', 'body.birthday ?? null'],
    },
  },
  {
    id: 'update-sets-null',
    spec: '§4.1',
    says: 'An update to null is not an update that was left out.',
    test: updated,
    without: {
      file: 'src/domain/users.ts',
      replace: ['body.fullName === undefined ? user.fullName : body.fullName', 'body.fullName ?? user.fullName'],
    },
  },
  {
    id: 'update-sets-the-email',
    spec: '§4.1',
    says: 'An update may change the email.',
    test: updated,
    without: { file: 'src/domain/users.ts', replace: ['body.email ?? user.email', 'user.email'] },
  },
  {
    id: 'update-may-pass-a-null-email',
    spec: '§4.1',
    says: 'The email of an update may be null, and then changes nothing.',
    test: updated,
    without: {
      file: 'src/http/users.ts',
      replace: [
        'body: UserUpdate,',
        'body: UserUpdate.extend({ email: UserUpdate.shape.email.unwrap().unwrap().optional() }),',
      ],
    },
  },
  {
    id: 'update-checks-as-create-does',
    spec: '§4.1',
    says: 'A field of an update has the rules that it has in a create.',
    test: { file: users, name: 'refuses what the create refuses' },
    without: {
      file: 'src/http/users.ts',
      replace: ['body: UserUpdate,', 'body: UserUpdate.extend({ email: UserUpdate.shape.email.catch(null) }),'],
    },
  },
  {
    id: 'update-to-a-null-locale-takes-the-projects',
    spec: 'open',
    says: 'An update of preferredLocale to null takes that of the project again.',
    test: updated,
    without: {
      file: 'src/domain/users.ts',
      replace: ['body.preferredLocale ?? work.state.preferredLocale', 'body.preferredLocale ?? user.preferredLocale'],
    },
  },
  {
    id: 'update-merges-metadata',
    spec: 'open',
    says: 'An update of metadata sets the keys that are passed.',
    test: updated,
    without: { file: 'src/schema/behavior.ts', replace: ["['merge', 'replace']", "['replace', 'merge']"] },
  },
  {
    id: 'update-removes-metadata-by-null',
    spec: 'open',
    says: 'An update of a key of metadata to null removes it.',
    test: updated,
    without: {
      file: 'src/domain/users.ts',
      replace: ['withoutNulls({ ...old, ...passed })', '({ ...old, ...passed })'],
    },
  },
  {
    id: 'metadata-update-replace',
    spec: 'open',
    says: 'With metadataUpdate=replace an update sets metadata as a whole.',
    test: { file: more, name: 'metadataUpdate=replace sets metadata as a whole' },
    without: {
      file: 'src/domain/users.ts',
      replace: ["work.behave('metadataUpdate') === 'merge'", "work.behave('metadataUpdate') !== 'never'"],
    },
  },
  {
    id: 'update-keeps-the-email-verified',
    spec: 'open',
    says: 'A change of the email leaves emailVerified as it is.',
    test: updated,
    without: { file: 'src/schema/behavior.ts', replace: ["['keep', 'reset']", "['reset', 'keep']"] },
  },
  {
    id: 'email-verified-on-change-reset',
    spec: 'open',
    says: 'With emailVerifiedOnChange=reset a changed email is not verified.',
    test: { file: more, name: 'emailVerifiedOnChange=reset leaves a changed email unverified' },
    without: {
      file: 'src/domain/users.ts',
      replace: ["work.behave('emailVerifiedOnChange') === 'keep'", "work.behave('emailVerifiedOnChange') !== 'never'"],
    },
  },
  {
    id: 'update-that-changes-nothing-is-no-change',
    spec: 'open',
    says: 'An update that changes nothing leaves the revision as it is.',
    test: { file: users, name: 'leaves the revision as it is when nothing changes' },
    without: {
      file: 'src/domain/collection.ts',
      replace: ['saysTheSame(old.value, value)', 'old.value === value'],
    },
  },
  {
    id: 'email-is-required-on-create',
    spec: '§4.1',
    says: 'A user is not created without an email.',
    test: refusedUser,
    without: {
      file: 'src/http/users.ts',
      replace: ['body: UserCreate,', "body: UserCreate.extend({ email: UserCreate.shape.email.default('a@b.c') }),"],
    },
  },
  {
    id: 'locale-defaults-to-the-projects',
    spec: '§4.1',
    says: 'A preferredLocale that is left out on creation is that of the project.',
    test: created,
    without: { file: 'src/domain/fill.ts', replace: ['?? defaults.preferredLocale', "?? 'en-US'"] },
  },
  {
    id: 'locale-may-be-null-on-create',
    spec: '§4.1',
    says: 'A preferredLocale of null is one that is left out.',
    test: { file: users, name: 'takes the locale of the project for a null one' },
    without: {
      file: 'src/http/users.ts',
      replace: [
        'body: UserCreate,',
        'body: UserCreate.extend({ preferredLocale: UserCreate.shape.preferredLocale.unwrap().unwrap().optional() }),',
      ],
    },
  },
  {
    id: 'locale-of-a-project-is-en-us',
    spec: 'open',
    says: 'A project whose seed says nothing has the locale en-US.',
    test: { file: rows, name: 'takes any field of a new user' },
    without: { file: 'src/domain/seeding.ts', replace: ["defaultLocale = 'en-US'", "defaultLocale = 'en-GB'"] },
  },
  {
    id: 'emails-may-be-shared',
    spec: 'open',
    says: 'Two users of a project may have the same email.',
    test: { file: more, name: 'may be the email of two users' },
    without: { file: 'src/schema/behavior.ts', replace: ["['allow', 'conflict']", "['conflict', 'allow']"] },
  },
  {
    id: 'duplicate-email-conflict',
    spec: 'open',
    says: 'With duplicateEmail=conflict the email of another user is refused on creation.',
    test: duplicate,
    without: { file: 'src/domain/users.ts', replace: ['refuseTakenEmail(work, body.email)', ''] },
  },
  {
    id: 'duplicate-email-conflict-on-update',
    spec: 'open',
    says: 'With duplicateEmail=conflict the email of another user is refused on update.',
    test: duplicate,
    without: {
      file: 'src/domain/users.ts',
      replace: ['if (email !== user.email) refuse', 'if (email === null) refuse'],
    },
  },
  {
    id: 'duplicate-email-is-not-ones-own',
    spec: 'open',
    says: "With duplicateEmail=conflict one's own email is no conflict.",
    test: duplicate,
    without: { file: 'src/domain/users.ts', replace: ['row.id === own', "row.id === ''"] },
  },
  {
    id: 'search-ignores-case',
    spec: 'open',
    says: 'The search finds an email in any case.',
    test: found,
    without: {
      file: 'src/schema/behavior.ts',
      replace: ["['ignoreCase', 'exact', 'contains']", "['exact', 'ignoreCase', 'contains']"],
    },
  },
  {
    id: 'search-takes-whole-emails',
    spec: 'open',
    says: 'The search finds no part of an email.',
    test: found,
    without: {
      file: 'src/schema/behavior.ts',
      replace: ["['ignoreCase', 'exact', 'contains']", "['contains', 'ignoreCase', 'exact']"],
    },
  },
  {
    id: 'search-match-exact',
    spec: 'open',
    says: 'With searchMatch=exact the case counts.',
    test: { file: more, name: 'searchMatch=%s finds for %s the users %j' },
    without: { file: 'src/domain/users.ts', replace: ['user.email === email)', "user.email !== '')"] },
  },
  {
    id: 'search-match-contains',
    spec: 'open',
    says: 'With searchMatch=contains a part of the email is enough.',
    test: { file: more, name: 'searchMatch=%s finds for %s the users %j' },
    without: { file: 'src/domain/users.ts', replace: ['.includes(foldEmail(email))', '.startsWith(foldEmail(email))'] },
  },
  {
    id: 'search-may-be-for-null',
    spec: '§4.1',
    says: 'The email of a search may be null.',
    test: found,
    without: {
      file: 'src/http/users.ts',
      replace: [
        'body: UserSearch,',
        'body: UserSearch.extend({ email: UserSearch.shape.email.unwrap().unwrap().optional() }),',
      ],
    },
  },
  {
    id: 'search-is-for-text',
    spec: '§4.1',
    says: 'The email of a search is a string.',
    test: { file: users, name: 'refuses an email that is no text' },
    without: {
      file: 'src/http/users.ts',
      replace: ['body: UserSearch,', 'body: UserSearch.extend({ email: UserSearch.shape.email.catch(null) }),'],
    },
  },
  {
    id: 'search-without-email-finds-all',
    spec: 'open',
    says: 'A search without an email finds every user.',
    test: found,
    without: { file: 'src/schema/behavior.ts', replace: ["['all', 'none']", "['none', 'all']"] },
  },
  {
    id: 'search-without-email-none',
    spec: 'open',
    says: 'With searchWithoutEmail=none a search without an email finds nobody.',
    test: { file: more, name: 'searchWithoutEmail=none finds nobody for %j' },
    without: {
      file: 'src/domain/users.ts',
      replace: ["work.behave('searchWithoutEmail') === 'all'", "work.behave('searchWithoutEmail') !== 'never'"],
    },
  },
  {
    id: 'search-pages-like-a-list',
    spec: 'open',
    says: 'A search takes the cursors and the limit of a list.',
    test: { file: users, name: 'pages like a list' },
    without: {
      file: 'src/domain/users.ts',
      replace: ['found(work, body.email ?? null), query)', 'found(work, body.email ?? null), { limit: 10 })'],
    },
  },
]
