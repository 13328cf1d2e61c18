// Services that the tests of payers' risks share.
import { openOperator } from '../support/operator.ts'
import type { TestService } from '../support/service.ts'
import { shareEngines } from '../support/shared-service.ts'

type Listed = { readonly id: string }

/** Ends all blocks and rules: many are for every merchant, also for those of the next test. */
const endRules = async (service: TestService): Promise<void> => {
  const operator = openOperator(service)
  const { blocks } = (await operator.get('/risk/blocks?limit=100')).body
  const { rules } = (await operator.get('/risk/rules?limit=100')).body
  for (const { id } of blocks as Listed[]) await operator.call('POST', `/risk/blocks/${id}/end`)
  for (const { id } of rules as Listed[]) await operator.call('POST', `/risk/rules/${id}/end`)
}

/** As `shareEngines`: each test begins without blocks and rules. */
export const shareRisk = () => {
  const { onEngines } = shareEngines()
  return (title: string, run: (service: TestService) => Promise<void>): void =>
    onEngines(title, async (service) => {
      try {
        await run(service)
      } finally {
        await endRules(service)
      }
    })
}
