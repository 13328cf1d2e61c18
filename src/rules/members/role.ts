/** The roles of operators; `owner` may do everything. */
export const roles = ['owner', 'operator', 'finance', 'support', 'auditor'] as const
export type Role = (typeof roles)[number]

/** The roles of console members: an operator's, or membership of one merchant. */
export const memberRoles = [...roles, 'merchant'] as const
export type MemberRole = (typeof memberRoles)[number]

/** What acts automatically, as events name it: no person may have such a name. */
export const isNameOfService = (name: string): boolean =>
  /^(?:service|bank|payer|merchant|source|simulated(?:-.*)?)$/.test(name)

/** The only table of who may do what: an operation belongs to a duty, and a duty to roles. */
export const duties = {
  /** View everything, and try what would happen. */
  read: roles,
  /** Help payers and merchants, without crediting anybody. */
  support: ['owner', 'operator', 'support'],
  /** Decide which payment money is for, who is refused, and which accounts receive money. */
  decide: ['owner', 'operator'],
  /** View in full the numbers that are masked everywhere else, each with a reason. */
  reveal: ['owner', 'operator', 'finance'],
  /** Import what banks report, set what accounts held, and say what outgoing money was for. */
  reconcile: ['owner', 'operator', 'finance'],
  /** Rates, and money of merchants and of the service: settlements, adjustments, overpayments. */
  account: ['owner', 'finance'],
  /** Merchants and their tokens, terms, limits and endpoints; accounts, sources, banks, rules and channels. */
  configure: ['owner'],
} as const satisfies Readonly<Record<string, readonly Role[]>>
/** The subject of an operation, which decides who may do it. */
export type Duty = keyof typeof duties

/** Whether operators of a role may do what belongs to a duty. */
export const mayDo = (role: Role, duty: Duty): boolean => (duties[duty] as readonly Role[]).includes(role)
