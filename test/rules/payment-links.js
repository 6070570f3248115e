// Payment links: spec §2.3, §2.5 and §3, and §4.2 but for its list.

const links = 'test/contract/payment-links.test.ts'
const more = 'test/contract/more-rules.test.ts'
const library = 'test/library/create-mock.test.ts'

const createdLink = { file: links, name: 'answers the created link, active and without the payer' }
const refusedLink = { file: links, name: 'refuses %j and names every problem at once' }
const canceled = { file: links, name: 'go from active to canceled when it is canceled' }
const completed = { file: links, name: 'go from active to completed when it is used for a payment' }
const provider = { file: links, name: 'is the value of type and the name of the object field' }
const redirect = { file: more, name: 'with %s is refused' }
const paymentPage = {
  file: library,
  name: 'makes the payment URL without a request of the address that listens, else of a name that is no host',
}
const invoiceIds = { file: more, name: 'invoiceIds=%s answers to the invoice %s with %i' }

/** @type {readonly import('./rules.js').Rule[]} */
export const paymentLinkRules = [
  {
    id: 'payment-link-ids-start-with-pml',
    spec: '§2.1',
    says: 'The id of a payment link is pml_ and an opaque suffix.',
    test: createdLink,
    without: { file: 'src/domain/payment-links.ts', replace: ["newId('pml')", "newId('usr')"] },
  },
  {
    id: 'invoice-ids-may-be-any-text',
    spec: 'open',
    says: 'The invoice of a link need not exist: any text serves.',
    test: createdLink,
    without: {
      file: 'src/schema/behavior.ts',
      replace: ["['any', 'prefix', 'seeded']", "['seeded', 'prefix', 'any']"],
    },
  },
  {
    id: 'invoice-ids-prefix',
    spec: 'open',
    says: 'With invoiceIds=prefix an invoice that does not start with inv_ is refused.',
    test: invoiceIds,
    without: { file: 'src/domain/payment-links.ts', replace: ["!== 'prefix'", "!== 'seeded'"] },
  },
  {
    id: 'invoice-ids-seeded',
    spec: 'open',
    says: 'With invoiceIds=seeded an invoice that the seed does not list is refused.',
    test: invoiceIds,
    without: { file: 'src/domain/payment-links.ts', replace: ["!== 'seeded') return", "!== 'prefix') return"] },
  },
  {
    id: 'payment-link-object-is-payment-link',
    spec: '§2.3',
    says: 'The object of a payment link is always paymentLink.',
    test: createdLink,
    without: { file: 'src/domain/payment-links.ts', replace: ["object: 'paymentLink'", "object: 'link'"] },
  },
  {
    id: 'canceled-at-is-null-at-first',
    spec: '§2.3',
    says: 'canceledAt is null until the link is canceled.',
    test: createdLink,
    without: { file: 'src/domain/payment-links.ts', replace: ['canceledAt: null', 'canceledAt: work.now'] },
  },
  {
    id: 'completed-at-is-null-at-first',
    spec: '§2.3',
    says: 'completedAt is null until the link is used for a payment.',
    test: createdLink,
    without: { file: 'src/domain/payment-links.ts', replace: ['completedAt: null', 'completedAt: work.now'] },
  },
  {
    id: 'payment-link-created-at-is-the-time-of-its-creation',
    spec: '§2.3',
    says: 'createdAt is the time at which the link was created.',
    test: createdLink,
    without: {
      file: 'src/domain/payment-links.ts',
      replace: ['createdAt: work.now', "createdAt: '2000-01-01T00:00:00.000Z'"],
    },
  },
  {
    id: 'redirect-url-is-kept',
    spec: '§2.3',
    says: 'A link shows the redirectUrl that it was created with.',
    test: createdLink,
    without: { file: 'src/domain/payment-links.ts', replace: ['redirectUrl: body.redirectUrl', 'redirectUrl: null'] },
  },
  {
    id: 'redirect-url-is-null-when-left-out',
    spec: '§2.3',
    says: 'A redirectUrl that was left out is null.',
    test: { file: links, name: 'answers a redirectUrl that was left out as null' },
    without: { file: 'src/schema/payment-link.ts', replace: ['redirectUrl ?? null', "redirectUrl ?? 'http://none'"] },
  },
  {
    id: 'redirect-url-is-absolute',
    spec: 'open',
    says: 'A redirectUrl that is not absolute is refused.',
    test: refusedLink,
    without: {
      file: 'src/schema/field.ts',
      replace: ['urlOf(text) ?? {}', "urlOf(text) ?? { protocol: 'http:', username: '', password: '' }"],
    },
  },
  {
    id: 'redirect-url-is-http',
    spec: 'open',
    says: 'A redirectUrl of another scheme than http and https is refused.',
    test: redirect,
    without: { file: 'src/schema/field.ts', replace: ["protocol === 'https:'", "protocol !== 'http:'"] },
  },
  {
    id: 'redirect-url-may-be-on-any-host',
    spec: 'open',
    says: 'The host of a redirectUrl may be localhost or a single label.',
    test: { file: more, name: 'may be %s, and is kept as it was sent' },
    without: {
      file: 'src/schema/field.ts',
      replace: ["username === ''", "username === '' && urlOf(text)!.hostname.includes('.')"],
    },
  },
  {
    id: 'redirect-url-has-no-user',
    spec: 'open',
    says: 'A redirectUrl with a user in it is refused.',
    test: redirect,
    without: { file: 'src/schema/field.ts', replace: ["username === ''", "username !== '-'"] },
  },
  {
    id: 'redirect-url-has-no-password',
    spec: 'open',
    says: 'A redirectUrl with a password in it is refused.',
    test: redirect,
    without: { file: 'src/schema/field.ts', replace: ["password === ''", "password !== '-'"] },
  },
  {
    id: 'redirect-url-has-no-stray-characters',
    spec: 'open',
    says: 'A redirectUrl with control characters, or with space around it, is refused.',
    test: redirect,
    without: { file: 'src/schema/field.ts', replace: [String.raw`/\p{Cc}|^\s|\s$/u.test(text)`, "text === ''"] },
  },
  {
    id: 'redirect-url-has-2048-characters-at-most',
    spec: 'open',
    says: 'A redirectUrl of 2,049 characters is refused.',
    test: redirect,
    without: { file: 'src/schema/field.ts', replace: ['text.length > 2048', 'text.length > 2049'] },
  },
  {
    id: 'invoice-is-kept',
    spec: '§2.3',
    says: 'A link shows the invoice that it is for.',
    test: createdLink,
    without: { file: 'src/domain/payment-links.ts', replace: ['invoice: body.invoice', "invoice: 'inv_other'"] },
  },
  {
    id: 'payment-url-is-in-every-link',
    spec: '§2.3',
    says: 'A link shows the URL of its payment page.',
    test: createdLink,
    without: { file: 'src/mock.ts', replace: ['}/pay/$', '}/$'] },
  },
  {
    id: 'payment-url-is-where-the-request-came-in',
    spec: 'open',
    says: 'The payment page is under the origin of the request.',
    test: createdLink,
    without: {
      file: 'src/http/guards.ts',
      replace: ['paymentUrl(project, paymentLink, origin)', "paymentUrl(project, paymentLink, 'http://other')"],
    },
  },
  {
    id: 'payment-url-is-under-the-public-url',
    spec: 'open',
    says: 'The payment page is under the public URL where one is set.',
    test: paymentPage,
    without: { file: 'src/mock.ts', replace: ['options.publicUrl ?? origin', 'origin'] },
  },
  {
    id: 'payment-url-escapes-the-project',
    spec: 'open',
    says: 'A project with odd letters has a payment URL that is one.',
    test: paymentPage,
    without: { file: 'src/mock.ts', replace: ['encodeURIComponent(project)', 'project'] },
  },
  {
    id: 'type-is-the-word-of-the-provider',
    spec: '§2.3',
    says: 'The type of a link is the word for the one provider.',
    test: provider,
    without: { file: 'src/http/views.ts', replace: ['type: settings.provider', 'type: link.type'] },
  },
  {
    id: 'provider-names-the-object-field',
    spec: '§2.3',
    says: 'The object field of the provider is called as its type says.',
    test: provider,
    without: { file: 'src/http/views.ts', replace: ['[settings.provider]: link.partner', 'partner: link.partner'] },
  },
  {
    id: 'provider-stands-in-the-paths-of-problems',
    spec: 'open',
    says: 'A problem is named in the word that the client sends.',
    test: { file: links, name: 'stands in the paths of problems' },
    without: {
      file: 'src/schema/payment-link.ts',
      replace: ['z.object(shape)', 'z.object({ ...shape, [provider]: z.any().optional(), partner })'],
    },
  },
  {
    id: 'provider-is-no-other-field',
    spec: 'open',
    says: 'No provider is called like another field of a link.',
    test: { file: library, name: 'refuses %s, and names the path' },
    without: { file: 'src/schema/payment-link.ts', replace: ['!taken.has(name)', "name !== ''"] },
  },
  {
    id: 'partner-user-is-required',
    spec: '§2.5',
    says: 'A link is not created without partner.user.',
    test: refusedLink,
    without: {
      file: 'src/schema/payment-link.ts',
      replace: ['z.object(shape)', 'z.object({ ...shape, [provider]: partner.extend({ user: Payer.default({}) }) })'],
    },
  },
  {
    id: 'payer-email-is-text',
    spec: '§2.5',
    says: 'The email of the payer is a string.',
    test: refusedLink,
    without: {
      file: 'src/schema/payment-link.ts',
      replace: [
        'z.object(shape)',
        'z.object({ ...shape, [provider]: partner.extend({ user: Payer.extend({ email: z.any().optional() }) }) })',
      ],
    },
  },
  {
    id: 'payer-tax-number-is-text',
    spec: '§2.5',
    says: 'The tax number of the payer is a string.',
    test: refusedLink,
    without: {
      file: 'src/schema/payment-link.ts',
      replace: [
        'z.object(shape)',
        'z.object({ ...shape, [provider]: partner.extend({ user: Payer.extend({ taxNumber: z.any().optional() }) }) })',
      ],
    },
  },
  {
    id: 'payer-full-name-is-text',
    spec: '§2.5',
    says: 'The full name of the payer is a string.',
    test: { file: more, name: 'whose %s is no text is refused' },
    without: {
      file: 'src/schema/payment-link.ts',
      replace: [
        'z.object(shape)',
        'z.object({ ...shape, [provider]: partner.extend({ user: Payer.extend({ fullName: z.any().optional() }) }) })',
      ],
    },
  },
  {
    id: 'payer-fields-are-optional',
    spec: 'open',
    says: 'None of the fields of the payer must be sent.',
    test: { file: links, name: 'answers a redirectUrl that was left out as null' },
    without: { file: 'src/schema/behavior.ts', replace: ["['optional', 'required']", "['required', 'optional']"] },
  },
  {
    id: 'payer-fields-required',
    spec: 'open',
    says: 'With payerFields=required each field of the payer must be sent.',
    test: { file: more, name: 'payerFields=required asks for every field of the payer' },
    without: { file: 'src/domain/payment-links.ts', replace: ["['fullName', 'email', 'taxNumber']", "['email']"] },
  },
  {
    id: 'payer-is-never-echoed',
    spec: '§2.5',
    says: 'The payer is part of the request only: no answer shows it.',
    test: createdLink,
    without: { file: 'src/http/views.ts', replace: [': link.partner,', ': { ...link.partner, user: link.payer },'] },
  },
  {
    id: 'links-are-created-active',
    spec: '§3',
    says: 'A link is active when it is created.',
    test: createdLink,
    without: { file: 'src/domain/payment-links.ts', replace: ["status: 'active'", "status: 'completed'"] },
  },
  {
    id: 'cancel-makes-canceled',
    spec: '§3',
    says: 'Cancel takes an active link to canceled.',
    test: canceled,
    without: { file: 'src/domain/payment-links.ts', replace: ["status: 'canceled', canceledAt", 'canceledAt'] },
  },
  {
    id: 'cancel-sets-canceled-at',
    spec: '§3',
    says: 'Cancel sets canceledAt to the time of it.',
    test: canceled,
    without: {
      file: 'src/domain/payment-links.ts',
      replace: ["status: 'canceled', canceledAt", "status: 'canceled', seenAt"],
    },
  },
  {
    id: 'payment-makes-completed',
    spec: '§3',
    says: 'A payment takes an active link to completed.',
    test: completed,
    without: { file: 'src/domain/payment-links.ts', replace: ["status: 'completed', completedAt", 'completedAt'] },
  },
  {
    id: 'payment-sets-completed-at',
    spec: '§3',
    says: 'A payment sets completedAt to the time of it.',
    test: completed,
    without: {
      file: 'src/domain/payment-links.ts',
      replace: ["status: 'completed', completedAt", "status: 'completed', seenAt"],
    },
  },
  {
    id: 'a-canceled-link-is-not-paid',
    spec: '§3',
    says: 'A canceled link can no longer be used for payments.',
    test: { file: links, name: 'take no payment once the link is canceled' },
    without: {
      file: 'src/domain/payment-links.ts',
      replace: ["if (link.status === 'active')", "if (link.status === 'active' || deed === 'paid')"],
    },
  },
  {
    id: 'only-an-active-link-is-canceled',
    spec: 'open',
    says: 'Cancel on a link that is not active is refused (409).',
    test: { file: links, name: 'take no cancel once the link is %s' },
    without: {
      file: 'src/domain/payment-links.ts',
      replace: ["if (link.status === 'active')", "if (link.status === 'active' || deed === 'canceled')"],
    },
  },
  {
    id: 'cancel-inactive-idempotent',
    spec: 'open',
    says: 'With cancelInactive=idempotent a canceled link is answered as it is.',
    test: { file: more, name: 'cancelInactive=idempotent answers the canceled link as it is' },
    without: { file: 'src/domain/payment-links.ts', replace: ["=== 'idempotent') return", "=== 'never') return"] },
  },
  {
    id: 'cancel-inactive-never-cancels-a-completed-link',
    spec: 'open',
    says: 'Cancel on a completed link is refused whatever cancelInactive says.',
    test: { file: more, name: 'cancelInactive=idempotent never cancels a completed link' },
    without: { file: 'src/domain/payment-links.ts', replace: ["if (link.status === 'canceled' && ", 'if ('] },
  },
  {
    id: 'a-missing-payment-link-is-404',
    spec: 'open',
    says: 'A payment link that does not exist is not found, nor canceled.',
    test: { file: links, name: 'refuse a link that does not exist' },
    without: { file: 'src/schema/error.ts', replace: ['paymentLinkNotFound: [404', 'paymentLinkNotFound: [410'] },
  },
  {
    id: 'cancel-takes-no-body',
    spec: '§4.2',
    says: 'A cancel has no body: whatever is sent is not looked at.',
    test: { file: links, name: 'ignore the body of a cancel' },
    without: {
      file: 'src/http/payment-links.ts',
      replace: ["id: 'cancelPaymentLink',", "id: 'cancelPaymentLink',\n      body: PaymentLinkListQuery,"],
    },
  },
  {
    id: 'invoice-is-a-required-text',
    spec: '§4.2',
    says: 'A link is not created without an invoice, which is a string.',
    test: refusedLink,
    without: {
      file: 'src/schema/payment-link.ts',
      replace: ['z.object(shape)', 'z.object({ ...shape, invoice: z.coerce.string() })'],
    },
  },
  {
    id: 'type-is-the-one-provider',
    spec: '§4.2',
    says: 'A link is not created without a type, nor with another than the one provider.',
    test: refusedLink,
    without: {
      file: 'src/schema/payment-link.ts',
      replace: ['z.object(shape)', 'z.object({ ...shape, type: z.any().optional() })'],
    },
  },
  {
    id: 'partner-is-required-for-its-type',
    spec: '§4.2',
    says: 'A link of the type partner is not created without partner, nor with null for it.',
    test: refusedLink,
    without: {
      file: 'src/schema/payment-link.ts',
      replace: [
        'z.object(shape)',
        'z.object({ ...shape, [provider]: partner.nullish().transform((given) => given ?? { user: {} }) })',
      ],
    },
  },
  {
    id: 'redirect-url-is-not-null-on-create',
    spec: '§4.2',
    says: 'A redirectUrl may be left out of a create, but not be null.',
    test: refusedLink,
    without: {
      file: 'src/schema/payment-link.ts',
      replace: [
        'z.object(shape)',
        'z.object({ ...shape, [provider]: partner.extend({ redirectUrl: RedirectUrl.nullish() }) })',
      ],
    },
  },
  {
    id: 'an-invoice-may-have-several-links',
    spec: 'open',
    says: 'A second link for an invoice is created as the first was.',
    test: { file: links, name: 'takes several links for one invoice' },
    without: {
      file: 'src/domain/payment-links.ts',
      replace: [
        'refuseUnknownInvoice(work, body.invoice)',
        "if (work.state.paymentLinks.size > 0) throw new Refusal('idTaken', 'Taken.')",
      ],
    },
  },
]
