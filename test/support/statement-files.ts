// Bank files for tests of the service, and their upload.
import type { TestService } from './service.ts'
import { type Answer, send } from './shop.ts'

export * from '../../packages/bank-files/test/support/made-files.ts'

/** Uploads a statement as an operator. */
export const uploadFile = async (
  service: Pick<TestService, 'url' | 'operatorToken'>,
  content: string | Buffer,
  fields: Readonly<Record<string, string>> = {},
): Promise<Answer> => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), 'statement.txt')
  const headers = { authorization: `Bearer ${service.operatorToken}` }
  return send(service, '/api/v1/operator/statements', { method: 'POST', headers, body: form })
}
