// A sandbox merchant, created by commands as an operator would type them.
import assert from 'node:assert/strict'
import { runPayin } from './run-payin.ts'

const commands = [
  'banks set --code bank-a --name BankA --country RU',
  'limits set rub --min 100 --max 300000',
  'rates set rub 92.5',
  'merchants create --name Shop --mode sandbox',
  ...Array.from(
    { length: 5 },
    (_, index) =>
      `requisites add --mode sandbox --method sbp --currency rub --bank bank-a --holder Holder --number 7916123456${index}`,
  ),
]

/** Runs `payin` with the words of a line, and returns its output; fails if the command fails. */
export type TypedCommand = (line: string) => Promise<string>

/** Runs commands as the operator of a service. */
export const commandsOf =
  (service: { readonly url: string; readonly operatorToken: string }): TypedCommand =>
  async (line) => {
    const environment = {
      PAYIN_URL: service.url,
      PAYIN_OPERATOR_TOKEN: service.operatorToken,
    }
    const { code, out, error } = await runPayin(line.split(' '), { environment })
    assert.equal(code, 0, `payin ${line}: ${error}${out}`)
    return out
  }

/** Creates the merchant, and returns its token. */
export const openSandboxShop = async (run: TypedCommand): Promise<string> => {
  for (const line of commands) await run(line)
  const { token } = JSON.parse(await run('--json tokens issue Shop --name server')) as { token: string }
  return token
}
