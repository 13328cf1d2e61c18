/** The description of every id, which says nothing of what it names. */
export const aboutIds = 'Identifier of the service (UUID).'

/** How people name a thing, who owns it, and which command lists it. */
type Named = {
  readonly by: string
  /** Default: the name of the kind. */
  readonly called?: string
  /** Its id is unique only within this. */
  readonly of?: 'merchant' | 'requisite'
  readonly listedBy: string
}

const things = {
  merchant: { by: 'name or id', listedBy: 'payin merchants list' },
  payment: { by: 'order or id', of: 'merchant', listedBy: 'payin payments list' },
  requisite: { by: 'label, last digits or id', listedBy: 'payin requisites list' },
  transfer: { by: 'bank reference or id', of: 'requisite', listedBy: 'payin transfers list' },
  outgoing: {
    by: 'bank reference or id',
    called: 'outgoing transfer',
    of: 'requisite',
    listedBy: 'payin outgoing list',
  },
  'outgoing-rule': { by: 'reason or id', called: 'rule', listedBy: 'payin outgoing-rules list' },
  reversal: { by: 'bank reference or id', of: 'requisite', listedBy: 'payin reversals list' },
  dispute: { by: 'order of the payment, or id', of: 'merchant', listedBy: 'payin disputes list' },
  destination: { by: 'label, address or id', of: 'merchant', listedBy: 'payin destinations list' },
  settlement: { by: 'your reference or id', of: 'merchant', listedBy: 'payin settlements list' },
  refund: { by: "the merchant's reference or id", of: 'merchant', listedBy: 'payin refunds list' },
  adjustment: { by: 'your reference or id', of: 'merchant', listedBy: 'payin adjustments list' },
  endpoint: { by: 'address, host, description or id', of: 'merchant', listedBy: 'payin endpoints list <merchant>' },
  link: { by: 'title or id', of: 'merchant', listedBy: 'payin links list' },
  token: { by: 'name, first characters or id', of: 'merchant', listedBy: 'payin tokens list <merchant>' },
  statement: { by: 'file name or id', listedBy: 'payin statements list' },
  phone: { by: 'name or id', listedBy: 'payin phones list' },
  source: { by: 'name or id', listedBy: 'payin sources list' },
  template: { by: 'text or id', listedBy: 'payin templates list' },
  block: { by: 'payer (+79991234567, phone 4567, user user-42) or id', of: 'merchant', listedBy: 'payin risk blocks' },
  channel: { by: 'name or id', listedBy: 'payin alerts channels' },
  'rate-source': {
    by: 'name, such as "rub exchange", or id',
    called: 'source of rates',
    listedBy: 'payin rates sources',
  },
  incident: { by: 'rule, if only one is open, last, or id', listedBy: 'payin alerts' },
  decision: { by: 'last, or id', called: 'decision of the last 24 hours', listedBy: 'payin decisions list' },
  rule: { by: 'kind, reason or id', of: 'merchant', listedBy: 'payin risk limits' },
} as const satisfies Readonly<Record<string, Named>>

export type NamedKind = keyof typeof things

/** What has a name that the service resolves to an id: `GET /resolve`. */
export const namedThings: Readonly<Record<NamedKind, Named>> = things

/** What to type to name one: `label, address or id of the destination`. */
export const howToName = (kind: NamedKind): string => {
  const { by, called = kind } = namedThings[kind]
  return `${by} of the ${called}`
}

/** People do not type a longer bank reference. */
const longestName = 24

/** The name to type for money that a bank reported: its reference if that is one short word, else its id. */
export const nameOf = ({ id, bankReference }: { readonly id: string; readonly bankReference?: string }): string =>
  bankReference !== undefined && bankReference.length <= longestName && /^[\p{L}\p{N}._/-]+$/u.test(bankReference)
    ? bankReference
    : id

/** The column with these names. */
export const nameColumn = (heading: string) => ({ heading, show: nameOf, kind: 'id' }) as const
