import { TextInput, type TextInputProps } from '@mantine/core'
import { quoteCode, usdt } from '../../../../src/rules/values/currency.ts'

/** The code of a currency as the service knows it: `rub`, `USDT`. */
export const readCode = (typed: string): string => {
  const code = typed.trim().toLowerCase()
  return quoteCode(code) === usdt ? usdt : code
}

/** Whether a text has the form of such a code. */
export const isCode = (typed: string): boolean => /^([a-z]{3}|USDT)$/.test(readCode(typed))

/** In which currency a merchant is credited. */
export const QuoteCurrency = (field: TextInputProps & { readonly value: string }) => (
  <TextInput
    label="Credited in"
    description="USDT, or a currency such as RUB: payments in it need no rate. It concerns new payments only"
    maxLength={4}
    error={!isCode(field.value)}
    {...field}
  />
)
