import { type Static, Type } from 'typebox'
import { tenantNameShape } from '../../domain/tenant.ts'
import type { Duty } from '../../domain/role.ts'
import { merchantDirectory } from '../../merchants/merchant-directory.ts'
import { activateTenant } from '../../tenants/activate-tenant.ts'
import type { Tenants } from '../../tenants/tenants.ts'
import { actOnBehalf } from '../act-on-behalf.ts'
import { declareRoutes } from '../routes.ts'

const Tenant = Type.Object(
  {
    name: Type.String({ description: 'What the header `payin-tenant` names it by.', examples: ['main'] }),
    merchants: Type.Integer({ description: 'How many merchants it has.', examples: [3] }),
  },
  { title: 'Tenant' },
)
const TenantsAnswer = Type.Object({ tenants: Type.Array(Tenant) })
const TenantName = Type.String({
  pattern: tenantNameShape,
  description: 'Small letters, digits and underscores, a letter first. Its schema is `tenant_` with the name.',
  examples: ['acme'],
})

/** All tenants. */
export type TenantsAnswer = Static<typeof TenantsAnswer>
/** One tenant. */
export type TenantAnswer = Static<typeof Tenant>

/** The tenants of the installation, whichever tenant the request names. */
export const tenantRoutes = declareRoutes<Tenants, { readonly duty: Duty }>(() => ({
  tag: 'operator',
  security: 'operator',
}))

tenantRoutes.get('/tenants', {
  id: 'listTenants',
  duty: 'read',
  summary: 'List the tenants: `main`, and those that were added',
  description:
    'Each operation of operators is for `main`, or for the tenant that the header `payin-tenant` names. Refused with `role_missing` where there is no such tenant.',
  answer: TenantsAnswer,
  handle: async (tenants) => {
    const contexts = await tenants.list()
    return {
      tenants: await Promise.all(
        contexts.map(async ({ tenant: name, catalog }) => {
          return { name, merchants: [...(await catalog.get(merchantDirectory)).values()].length }
        }),
      ),
    }
  },
})

tenantRoutes.post('/tenants', {
  id: 'createTenant',
  duty: 'configure',
  summary: 'Add a tenant, with a schema of its own',
  description:
    'Takes some seconds. A tenant has merchants, accounts, a ledger and an audit of its own; operators name it by the header `payin-tenant`. What was interrupted is finished by the same request.',
  body: { name: TenantName },
  status: 201,
  answer: Tenant,
  refusals: ['already_exists'],
  handle: async (tenants, request) => {
    const { name } = request.body
    await tenants.prepare(name)
    const added = { action: 'tenants.create', subject: `tenant:${name}`, details: {} }
    await actOnBehalf(tenants.main, request, (tx) => activateTenant(tx, name), added)
    await tenants.list()
    return { name, merchants: 0 }
  },
})
