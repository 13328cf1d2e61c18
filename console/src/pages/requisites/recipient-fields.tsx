import { TextInput } from '@mantine/core'
import { isBic, isInn, isKpp } from '../../../../src/rules/money/bank-details.ts'
import { isPaymentOrder, noRecipient, shownName } from '../../../../src/rules/requisites/recipient.ts'
import { fastMethod, type PaymentMethod } from '../../../../src/rules/values/payment-method.ts'

/** The fields of a recipient as they were typed; empty text means nothing. */
export type TypedRecipient = Readonly<Record<keyof typeof noRecipient, string>>

/** A recipient with nothing typed yet. */
export const emptyRecipient = Object.fromEntries(Object.keys(noRecipient).map((name) => [name, ''])) as TypedRecipient

type Field = {
  readonly name: keyof TypedRecipient
  readonly label: string
  readonly placeholder: string
  readonly isRight?: (text: string) => boolean
}

const names: readonly Field[] = [
  { name: 'givenName', label: 'Given name', placeholder: 'Анна' },
  { name: 'familyName', label: 'Family name', placeholder: 'Петрова' },
  { name: 'shownAs', label: 'Payers see', placeholder: '' },
]

const orders: readonly Field[] = [
  { name: 'inn', label: 'INN', placeholder: '10 or 12 digits', isRight: isInn },
  { name: 'kpp', label: 'KPP', placeholder: 'of an organisation', isRight: isKpp },
  { name: 'bic', label: 'BIC of the branch', placeholder: "the bank's", isRight: isBic },
  {
    ...{ name: 'correspondentAccount', label: 'Correspondent account', placeholder: "the bank's" },
    isRight: (text: string) => /^\d{20}$/.test(text),
  },
  { name: 'purpose', label: 'Payment purpose', placeholder: 'Оплата заказа {order}' },
]

const sbpLink: Field = { name: 'sbpLink', label: 'SBP link', placeholder: 'https://qr.nspk.ru/AS…' }

/** The fields of a recipient that were filled in, as the API takes them. */
export const toRecipient = (typed: TypedRecipient): Record<string, string> =>
  Object.fromEntries(
    Object.entries(typed)
      .map(([name, text]) => [name, text.trim()] as const)
      .filter(([, text]) => text !== ''),
  )

type Props = {
  readonly method: PaymentMethod
  readonly currency: string
  readonly holder: string
  readonly typed: TypedRecipient
  readonly onChange: (typed: TypedRecipient) => void
}

/** What banks and payers see of the recipient: names, and for payment orders in Russia the numbers that their forms ask for. */
export const RecipientFields = ({ method, currency, holder, typed, onChange }: Props) => {
  const isOrder = isPaymentOrder(method, currency)
  const shown = shownName({ holder, recipient: { ...noRecipient, ...toRecipient(typed) } })
  const shownFields = [...(isOrder ? orders : names), ...(isOrder || method === fastMethod ? [sbpLink] : [])]
  return (
    <>
      <div className="field-grid">
        {shownFields.map(({ name, label, placeholder, isRight }) => (
          <TextInput
            key={name}
            label={label}
            placeholder={name === 'shownAs' ? shown : placeholder}
            value={typed[name]}
            maxLength={300}
            error={isRight !== undefined && typed[name] !== '' && !isRight(typed[name].trim())}
            onChange={({ currentTarget }) => onChange({ ...typed, [name]: currentTarget.value })}
          />
        ))}
      </div>
      {!isOrder && shown !== '' && (
        <p className="quiet small">
          Payers see <span className="strong">{shown}</span>; enter both names, or what payers should see if the bank
          shows something else.
        </p>
      )}
    </>
  )
}
