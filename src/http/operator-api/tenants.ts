import { type Static, Type } from '../schema.ts'
import type { Tx } from '../../context.ts'
import { mainServer, mainTenant, serverNameShape, tenantNameShape } from '../../domain/tenant.ts'
import { Refusal, refuseField } from '../../domain/refusal.ts'
import { roles } from '../../domain/role.ts'
import { ownTenant } from '../../members/change-member.ts'
import { merchantDirectory } from '../../merchants/merchant-directory.ts'
import { countOpen } from '../../payments/read.ts'
import { activateTenant, countMerchantsOfOthers, retireTenant } from '../../tenants/tenant.ts'
import { listInterrupted, type Tenants } from '../../tenants/tenants.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { routesOfInstallation } from '../routes.ts'

const TenantName = Type.String({
  pattern: tenantNameShape,
  description:
    'Lower-case letters, digits and underscores, starting with a letter. Its database schema is `tenant_` and the name.',
  examples: ['acme'],
})
const Server = Type.String({
  pattern: serverNameShape,
  description: 'A server of PAYIN_TENANT_SERVERS, or `main`, that of DATABASE_URL.',
  examples: ['main'],
})
const Tenant = Type.Titled('Tenant', {
  name: Type.Text('Its name in the header `payin-tenant`.', 'main'),
  merchants: Type.Integer({ description: 'How many merchants it has.', examples: [3] }),
  server: Server,
  state: Type.OneOf(['active', 'preparing', 'switching', 'stopped', 'retired'], {
    description:
      '`preparing`: not ready yet; `switching`: for the seconds in which it is moved; `stopped`: while it is restored; `retired`: only operators can read it.',
    examples: ['active'],
  }),
  interrupted: Type.Optional(
    Type.Flag('Whether a move or restore of it was interrupted; `payin tenants recover` takes it back.'),
  ),
  role: Type.Optional(Type.OneOf(roles, "The caller's role there; absent: none.")),
})
const TenantsAnswer = Type.Object({ tenants: Type.Array(Tenant) })

export type TenantsAnswer = Static<typeof TenantsAnswer>
export type TenantAnswer = Static<typeof Tenant>

/** Numbers of merchants by the name of the tenant, without opening any. */
const countMerchantsOf = async ({ main }: Tenants): Promise<ReadonlyMap<string, number>> => {
  const own = [...(await main.catalog.get(merchantDirectory)).values()].length
  return new Map([[mainTenant, own], ...(await countMerchantsOfOthers(main))])
}

/** The tenants of the installation, whatever tenant the request names. */
export const tenantRoutes = routesOfInstallation()

tenantRoutes.get('/tenants', 'read', {
  id: 'listTenants',
  reach: 'any',
  summary: 'List the tenants in which you have a role',
  description:
    'Each operator operation applies to `main`, or to the tenant that the header `payin-tenant` names; it is refused with `role_missing` if there is no such tenant or the caller has no role in it. Owners of `main` see all tenants.',
  answer: TenantsAnswer,
  exports: 'tenants',
  handle: async (tenants, { operator, readRoles, roleInMain }) => {
    const [roleIn, rows, merchants, interrupted] = await Promise.all([
      readRoles(),
      tenants.rows(),
      countMerchantsOf(tenants),
      listInterrupted(tenants.main),
    ])
    const names = new Set(interrupted.map(({ name }) => name))
    const main = { name: mainTenant, server: mainServer, state: 'active' } as const
    const own = [main, ...rows].flatMap(({ name, server, state }) => {
      const role = roleIn(name)
      const flag = names.has(name) ? { interrupted: true } : {}
      const tenant = { name, merchants: merchants.get(name) ?? 0, server, state, ...flag }
      if (role === undefined) return roleInMain === 'owner' ? tenant : []
      return { ...tenant, role }
    })
    if (own.length === 0) throw new Refusal('role_missing', `${operator} has no role in any tenant.`)
    return { tenants: own }
  },
})

tenantRoutes.post('/tenants', 'configure', {
  id: 'createTenant',
  reach: 'installation',
  summary: 'Add a tenant, with its own schema',
  description:
    'Takes some seconds. A tenant has its own merchants, accounts, ledger and audit; operators name it in the header `payin-tenant`. If a console account adds it, that account is its first owner; otherwise invite one, with the header. If interrupted, send the same request again to finish.',
  body: { name: TenantName, server: Type.Optional(Server) },
  status: 201,
  answer: Tenant,
  refusals: ['already_exists', 'resource_not_found'],
  handle: async (tenants, request) => {
    const { name, server = mainServer } = request.body
    await tenants.prepare(name, server)
    const details = server === mainServer ? {} : { server }
    const added = { action: 'tenants.create', subject: `tenant:${name}`, details }
    const owner = request.consoleAccess && { id: request.consoleAccess.memberId, name: request.operator }
    const activate = async (tx: Tx): Promise<void> => {
      await ownTenant(tx, name, owner)
      await activateTenant(tx, name)
    }
    await actOnBehalf(tenants.main, request, activate, added)
    await tenants.find(name)
    return { name, merchants: 0, server, state: 'active' as const, role: request.role }
  },
})

tenantRoutes.post('/tenants/:name/retire', 'configure', {
  id: 'retireTenant',
  reach: 'installation',
  summary: 'Close a tenant for good',
  description:
    'Its merchants are refused with `merchant_suspended`, its pages and feeds stop working, its jobs end; operators can still read it. It keeps its account numbers, unless `freeNumbers` lets other tenants use them. Refused with `invalid_state` while payments are open, unless `evenIfOpen`.',
  params: { name: TenantName },
  body: {
    confirm: Type.Text('Repeat the name, so that nobody retires a tenant by mistake.', 'acme'),
    freeNumbers: Type.Optional(Type.Flag('Whether other tenants may use its account numbers.')),
    evenIfOpen: Type.Optional(
      Type.Flag('Whether to retire it while payments are open: their money will not be matched.'),
    ),
  },
  answer: Tenant,
  refusals: ['resource_not_found', 'invalid_state', 'validation_failed'],
  handle: async (tenants, request) => {
    const { name } = request.params
    const { confirm, freeNumbers = false, evenIfOpen = false } = request.body
    const row = (await tenants.rows()).find((each) => each.name === name)
    if (!row) throw new Refusal('resource_not_found', `There is no tenant ${name} that could be retired.`)
    if (confirm !== name) throw refuseField('validation_failed', 'confirm', `must be ${name}, the name of the tenant.`)
    const context = evenIfOpen ? undefined : await tenants.find(name)
    const open = context && row.state === 'active' ? await countOpen(context) : 0
    if (open > 0) {
      const count = open === 1 ? '1 payment is' : `${open === 1000 ? '1000 or more' : open} payments are`
      throw new Refusal('invalid_state', `${count} open. Suspend its merchants and wait, or retire it with evenIfOpen.`)
    }
    const retired = { action: 'tenants.retire', subject: `tenant:${name}`, details: { freeNumbers, evenIfOpen } }
    await actOnBehalf(tenants.main, request, (tx) => retireTenant(tx, name, freeNumbers), retired)
    const merchants = (await countMerchantsOf(tenants)).get(name) ?? 0
    return { name, merchants, server: row.server, state: 'retired' as const }
  },
})
