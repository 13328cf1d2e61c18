import { isIban } from '../iban.ts'
import { onOneLine, type OrderBank } from './payment-order.ts'

type Content = string | readonly string[]

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** A text on one line, as the content of an element. */
export const xmlText = (value: string): string => onOneLine(value).replace(/[&<>"]/g, (sign) => escapes[sign] ?? sign)

/** An element with a text, or with others on lines of their own. */
export const element = (name: string, content: Content, attributes = ''): string =>
  typeof content === 'string'
    ? `<${name}${attributes}>${content}</${name}>`
    : `<${name}${attributes}>\n${content.join('\n')}\n</${name}>`

/** A document of ISO 20022, such as `pain.001.001.09`. */
export const documentOf = (message: string, content: string): Uint8Array<ArrayBuffer> => {
  const namespace = ` xmlns="urn:iso:std:iso:20022:tech:xsd:${message}"`
  return new TextEncoder().encode(
    `<?xml version="1.0" encoding="UTF-8"?>\n${element('Document', [content], namespace)}\n`,
  )
}

const isSwiftBic = (bic: string): boolean => /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/.test(bic)

/** The code of the Bank of Russia for its BICs, in the external code sets of ISO 20022. */
const russian = element('ClrSysId', element('Cd', 'RUCBC'))

/** A bank under the name of an element. */
export const bankElement = (name: string, { bic, name: called }: OrderBank): string => {
  const id = isSwiftBic(bic) ? element('BICFI', bic) : element('ClrSysMmbId', russian + element('MmbId', bic))
  return element(name, element('FinInstnId', id + (called ? element('Nm', xmlText(called.slice(0, 140))) : '')))
}

/** The number of an account. */
export const accountId = (account: string): string =>
  element('Id', isIban(account) ? element('IBAN', account) : element('Othr', element('Id', xmlText(account))))
