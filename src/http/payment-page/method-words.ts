import type { PageLanguage } from '../../rules/payments/page-language.ts'
import { type PaymentMethod, paymentMethods } from '../../rules/values/payment-method.ts'

/** How payers know a method, and what to do with its number in the bank's app or form. */
type MethodWords = { readonly name: string; readonly number: string }

const words: Readonly<Record<PaymentMethod, Readonly<Record<PageLanguage, MethodWords>>>> = {
  'card-to-card': {
    ru: { name: 'По номеру карты', number: 'Введите номер карты' },
    en: { name: 'By card number', number: 'Enter the card number' },
    uz: { name: 'Karta raqami orqali', number: 'Karta raqamini kiriting' },
    kk: { name: 'Карта нөмірі бойынша', number: 'Карта нөмірін енгізіңіз' },
    tg: { name: 'Бо рақами корт', number: 'Рақами кортро ворид кунед' },
  },
  sbp: {
    ru: { name: 'По номеру телефона (СБП)', number: 'Введите номер телефона' },
    en: { name: 'By phone number (SBP)', number: 'Enter the phone number' },
    uz: { name: 'Telefon raqami orqali (SBP)', number: 'Telefon raqamini kiriting' },
    kk: { name: 'Телефон нөмірі бойынша (СБП)', number: 'Телефон нөмірін енгізіңіз' },
    tg: { name: 'Бо рақами телефон (СБП)', number: 'Рақами телефонро ворид кунед' },
  },
  'account-to-account': {
    ru: { name: 'По номеру счёта', number: 'Счёт получателя' },
    en: { name: 'By account number', number: 'Account number' },
    uz: { name: 'Hisob raqami orqali', number: 'Oluvchining hisob raqami' },
    kk: { name: 'Шот нөмірі бойынша', number: 'Алушының шоты' },
    tg: { name: 'Бо рақами ҳисоб', number: 'Ҳисоби гиранда' },
  },
  'by-phone': {
    ru: { name: 'За границу по номеру телефона', number: 'Введите номер телефона' },
    en: { name: 'Abroad by phone number', number: 'Enter the phone number' },
    uz: { name: 'Chet elga telefon raqami orqali', number: 'Telefon raqamini kiriting' },
    kk: { name: 'Шетелге телефон нөмірі бойынша', number: 'Телефон нөмірін енгізіңіз' },
    tg: { name: 'Ба хориҷа бо рақами телефон', number: 'Рақами телефонро ворид кунед' },
  },
}

/** The words for each payment method, in a language. */
export const methodWords = (language: PageLanguage): Readonly<Record<PaymentMethod, MethodWords>> =>
  Object.fromEntries(paymentMethods.map((method) => [method, words[method][language]])) as Record<
    PaymentMethod,
    MethodWords
  >
