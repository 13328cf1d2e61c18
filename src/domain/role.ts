/** What an operator may be; `owner` may do everything. */
export const roles = ['owner', 'operator', 'finance', 'support', 'auditor'] as const
/** One of `roles`. */
export type Role = (typeof roles)[number]

/** What a member of the console may be: an operator with one of the roles, or a member of one merchant. */
export const memberRoles = [...roles, 'merchant'] as const
/** One of `memberRoles`. */
export type MemberRole = (typeof memberRoles)[number]

/** What a member is in `main`; `none` where it is something in other tenants only. */
export type RoleInMain = MemberRole | 'none'

/** The one table of who may do what: an operation belongs to a duty, and a duty to roles. */
export const duties = {
  /** Look at everything, try what would happen, and keep views of one's own. */
  read: roles,
  /** Care for payers and merchants: nothing of it credits anybody. */
  support: ['owner', 'operator', 'support'],
  /** Decide which payment money is for, who is refused, and which accounts take money. */
  decide: ['owner', 'operator'],
  /** Bring in what banks report, and say what left the accounts. */
  reconcile: ['owner', 'operator', 'finance'],
  /** Rates, and money of merchants and of the service: settlements, adjustments, overpayments, balances. */
  account: ['owner', 'finance'],
  /** Merchants and their tokens, terms, limits and endpoints; accounts, sources, banks, rules and channels. */
  configure: ['owner'],
} as const satisfies Readonly<Record<string, readonly Role[]>>
/** What an operation is about, as far as it decides who may do it. */
export type Duty = keyof typeof duties

/** Whether operators of a role may do what belongs to a duty. */
export const mayDo = (role: Role, duty: Duty): boolean => (duties[duty] as readonly Role[]).includes(role)
