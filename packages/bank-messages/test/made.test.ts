// Every template of every bank reads the messages that are made from it, with all optional parts and with none.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Bank, banks, type Message, readMessage } from '../src/bank-messages.ts'

const currencies: Readonly<Record<string, string>> = { rub: 'р', uzs: 'UZS', kzt: 'KZT' }

/** What a gap is filled with; the decimals suit every way to write thousands. */
const fill = (gap: string, bank: Bank): string => {
  const [name = '', option] = gap.split(':')
  const own = currencies[bank.currency] ?? bank.currency.toUpperCase()
  const money = (whole: string): string =>
    option === 'before' ? `${own} ${whole}.50` : option === 'bare' ? `${whole}.50` : `${whole}.50 ${own}`
  const values: Readonly<Record<string, string>> = {
    amount: money('417'),
    balance: money('2833'),
    fee: money('7'),
    sum: option === undefined ? '31.50 USD' : money('31'),
    account: '*4071',
    contract: '40710',
    card: '220070**1234',
    time: '12.05.26 11:59',
    date: '12.05.2026',
    clock: '11:59',
    moment: '13.06.26',
    phone: '+79000000012',
    person: 'Анна К.',
    name: 'Анна Берг',
    payer: 'OOO Vesna',
    owner: 'Лев Борг',
    bank: 'Весна Банк',
    comment: 'за обед',
    message: 'за обед',
    text: 'VESNA MARKET',
    word: 'Vesna',
    digits: '731',
    reference: 'A731',
    link: 'vesna.example/a',
    garbage: '\ufffd',
    left: 'Доступно',
  }
  return values[name] ?? (bank.parts?.[name] === undefined ? '' : make(bank.parts[name], bank, 'all'))
}

type Parts = 'all' | 'none'

/** The template's text with its gaps filled, the first of each choice, and all optional parts or none. */
const make = (template: string, bank: Bank, parts: Parts): string => {
  let at = 0
  const read = (ends: string): string => {
    let part = ''
    for (; at < template.length && !ends.includes(template.charAt(at)); at++) {
      const character = template.charAt(at)
      if (character === '[' || character === '<') {
        const branches: string[] = []
        do {
          at += 1
          branches.push(read('|]>'))
        } while (template.charAt(at) === '|')
        part += character === '[' && parts === 'none' ? '' : branches[0]
      } else if (character === '{') {
        const end = template.indexOf('}', at)
        const gap = template.slice(at + 1, end)
        part += bank.parts?.[gap] === undefined ? fill(gap, bank) : make(bank.parts[gap], bank, parts)
        at = end
      } else part += character === '\\' ? template.charAt((at += 1)) : character
    }
    return part
  }
  return read('')
}

const from = ({ senders, packages, bots }: Bank, text: string): Message => {
  if (Array.isArray(packages) && !Array.isArray(senders)) return { channel: 'push', package: packages[0], text }
  if (bots !== undefined) return { channel: 'push', package: 'org.telegram.messenger', title: bots[0] ?? null, text }
  if (senders !== undefined)
    return { channel: 'sms', sender: senders === 'unknown' ? null : (senders[0] ?? null), text }
  return { channel: 'push', text }
}

describe('messages made from templates', () => {
  for (const bank of banks)
    test(bank.bank, () => {
      for (const [kind, templates] of Object.entries(bank.templates))
        for (const template of templates)
          for (const parts of ['all', 'none'] as const) {
            const text = make(template, bank, parts)
            const reading = readMessage(from(bank, text))
            const what = `${template} → ${text}`
            assert.equal(reading.kind, kind, what)
            if (/\{amount/.test(template) && kind !== 'code') assert.equal(reading.amount, '417.50', what)
            if (parts === 'all' && /\{balance/.test(template)) assert.equal(reading.balance, '2833.50', what)
          }
    })
})
