import { Payin, PayinConnectionError, PayinError } from '../../sdk/src/payin-sdk.ts'
import { errorCodes } from '../rules/error-codes.ts'
import { exitCodes, Failure } from './failure.ts'

export type MerchantSession = {
  readonly url: string
  readonly token: string
  /** The secret with which the merchant's handler verifies, if given. */
  readonly webhookSecret: string | undefined
  /** Calls the SDK; an error that it throws becomes the failure of the command. */
  ask<T>(call: (payin: Payin) => Promise<T>): Promise<T>
}

const remedyOf = (code: string): string | undefined =>
  code in errorCodes ? errorCodes[code as keyof typeof errorCodes].remedy : undefined

const refusalOf = (url: string, error: PayinError): Failure => {
  if (error.code === 'unknown') {
    const said = `${url} answers ${error.status}, but not as Payin does: check --url or PAYIN_URL.`
    return new Failure([said], exitCodes.unanswered)
  }
  // The failure already names the fields.
  const hint = error.code === 'validation_failed' ? undefined : remedyOf(error.code)
  const { code, message: detail, errors, requestId } = error
  return new Failure({
    code,
    detail,
    ...(errors.length > 0 && { errors }),
    ...(requestId !== undefined && { requestId }),
    ...(hint !== undefined && { hint }),
  })
}

const unanswered = (url: string, error: PayinConnectionError): Failure => {
  const said = `Nothing answers at ${url} (${error.message}). Name the service with --url or PAYIN_URL.`
  return new Failure([said], exitCodes.unanswered)
}

/** Opens a session with a merchant's token. */
export const openMerchantSession = ({
  url,
  token,
  webhookSecret,
}: Pick<MerchantSession, 'url' | 'token' | 'webhookSecret'>): MerchantSession => {
  // People at a terminal should see soon that nothing answers.
  const payin = new Payin({ baseUrl: url, token, retries: 1 })
  return {
    url,
    token,
    webhookSecret,
    ask: async (call) => {
      try {
        return await call(payin)
      } catch (error) {
        if (error instanceof PayinError) throw refusalOf(url, error)
        throw error instanceof PayinConnectionError ? unanswered(url, error) : error
      }
    },
  }
}
