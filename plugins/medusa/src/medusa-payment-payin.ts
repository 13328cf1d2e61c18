import { ModuleProvider, Modules } from '@medusajs/framework/utils'
import { PayinProvider } from './payin-provider.ts'

export type { PayinOptions } from './payin-sessions.ts'

/** The payment provider `payin` of Medusa's payment module. */
export default ModuleProvider(Modules.PAYMENT, { services: [PayinProvider] })
