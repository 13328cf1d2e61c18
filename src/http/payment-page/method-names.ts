import type { PageLanguage } from '../../domain/page-language.ts'
import { type PaymentMethod, paymentMethods } from '../../domain/payment-method.ts'

const names: Readonly<Record<PaymentMethod, Readonly<Record<PageLanguage, string>>>> = {
  'card-to-card': {
    ru: 'По номеру карты',
    en: 'By card number',
    uz: 'Karta raqami orqali',
    kk: 'Карта нөмірі бойынша',
    tg: 'Бо рақами корт',
  },
  sbp: {
    ru: 'По номеру телефона (СБП)',
    en: 'By phone number (SBP)',
    uz: 'Telefon raqami orqali (SBP)',
    kk: 'Телефон нөмірі бойынша (СБП)',
    tg: 'Бо рақами телефон (СБП)',
  },
  'account-to-account': {
    ru: 'По номеру счёта',
    en: 'By account number',
    uz: 'Hisob raqami orqali',
    kk: 'Шот нөмірі бойынша',
    tg: 'Бо рақами ҳисоб',
  },
  'by-phone': {
    ru: 'За границу по номеру телефона',
    en: 'Abroad by phone number',
    uz: 'Chet elga telefon raqami orqali',
    kk: 'Шетелге телефон нөмірі бойынша',
    tg: 'Ба хориҷа бо рақами телефон',
  },
}

/** The payment methods as payers know them, in a language. */
export const methodNames = (language: PageLanguage): Readonly<Record<PaymentMethod, string>> =>
  Object.fromEntries(paymentMethods.map((method) => [method, names[method][language]])) as Record<PaymentMethod, string>
