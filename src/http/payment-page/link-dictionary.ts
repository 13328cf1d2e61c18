import type { Dictionary } from './dictionary-en.ts'
import type { Message } from './message.ts'
import { dictionaries, type Locale } from './languages.ts'

/** Texts of a payment that was started from a link: there may be no shop to go back to, and none that is notified. */
const english = {
  /** Each says how to pay after all: at the link. */
  expired: 'The time to pay has run out, and the details are no longer valid. To pay, start again at the payment link.',
  expiredUnseen: 'You haven’t been charged. To pay, start again at the payment link.',
  expiredLong:
    'This payment expired long ago, and the details are no longer valid. To pay, start again at the payment link.',
  canceledByPayer: 'Please don’t send any money for it. If you change your mind, start again at the payment link.',
  failed: 'We haven’t received any money for it, so please don’t send any. To pay, start again at the payment link.',
  mayClose: 'You can close this page: your payment counts either way. Please don’t pay twice.',
  received: (received: string) => `We’ve received ${received}. You’re all set.`,
  done: 'You’re all set.',
  /** The payer has sent the link's form again, and a newer payment has taken the place of this one. */
  replaced: {
    heading: 'A newer payment has replaced this one',
    line: 'You sent the form again, and a new payment was started instead of this one. Please pay there, and not here.',
    link: 'Go to the newer payment',
  },
  startAgain: 'Start again',
}

type OwnTexts = typeof english

const ownTexts: Readonly<Record<Locale, OwnTexts>> = {
  en: english,
  ru: {
    expired: 'Время на оплату истекло, реквизиты больше не действуют. Чтобы оплатить, начните заново по ссылке.',
    expiredUnseen: 'Деньги не списаны. Чтобы оплатить, начните заново по ссылке.',
    expiredLong:
      'Время на оплату давно истекло, реквизиты больше не действуют. Чтобы оплатить, начните заново по ссылке.',
    canceledByPayer: 'Пожалуйста, ничего по нему не переводите. Если передумаете, начните заново по ссылке.',
    failed: 'Денег по нему мы не получали, ничего не переводите. Чтобы оплатить, начните заново по ссылке.',
    mayClose: 'Страницу можно закрыть: платёж всё равно будет учтён. Пожалуйста, не платите дважды.',
    received: (received) => `Мы получили ${received}. Больше ничего делать не нужно.`,
    done: 'Больше ничего делать не нужно.',
    replaced: {
      heading: 'Этот платёж заменён новым',
      line: 'Вы отправили форму ещё раз, и вместо этого платежа начат новый. Пожалуйста, платите там, а не здесь.',
      link: 'Перейти к новому платежу',
    },
    startAgain: 'Начать заново',
  },
  kk: {
    expired: 'Төлеу уақыты бітті, деректемелер енді жарамсыз. Төлеу үшін сілтеме арқылы қайтадан бастаңыз.',
    expiredUnseen: 'Ақша алынған жоқ. Төлеу үшін сілтеме арқылы қайтадан бастаңыз.',
    expiredLong:
      'Төлеу уақыты баяғыда біткен, деректемелер енді жарамсыз. Төлеу үшін сілтеме арқылы қайтадан бастаңыз.',
    canceledByPayer: 'Бұл төлем үшін ақша жібермеңіз. Ойыңыз өзгерсе, сілтеме арқылы қайтадан бастаңыз.',
    failed: 'Бұл төлем бойынша ақша алған жоқпыз, ештеңе жібермеңіз. Төлеу үшін сілтеме арқылы қайтадан бастаңыз.',
    mayClose: 'Бетті жабуға болады: төлем бәрібір есептеледі. Екі рет төлемеуіңізді сұраймыз.',
    received: (received) => `${received} келді. Басқа ештеңе істеудің қажеті жоқ.`,
    done: 'Басқа ештеңе істеудің қажеті жоқ.',
    replaced: {
      heading: 'Бұл төлем жаңасымен ауыстырылды',
      line: 'Сіз форманы қайта жібердіңіз, осы төлемнің орнына жаңасы басталды. Осы жерде емес, сонда төлеңіз.',
      link: 'Жаңа төлемге өту',
    },
    startAgain: 'Қайтадан бастау',
  },
  tg: {
    expired: 'Вақти пардохт гузашт, реквизитҳо дигар эътибор надоранд. Барои пардохт бо пайванд аз нав оғоз кунед.',
    expiredUnseen: 'Пул гирифта нашуд. Барои пардохт бо пайванд аз нав оғоз кунед.',
    expiredLong:
      'Вақти пардохт кайҳо гузаштааст, реквизитҳо дигар эътибор надоранд. Барои пардохт бо пайванд аз нав оғоз кунед.',
    canceledByPayer: 'Лутфан, барои он пул нафиристед. Агар фикратон дигар шавад, бо пайванд аз нав оғоз кунед.',
    failed: 'Барои он пул нагирифтаем, чизе нафиристед. Барои пардохт бо пайванд аз нав оғоз кунед.',
    mayClose: 'Саҳифаро пӯшидан мумкин: пардохт ба ҳар ҳол ҳисоб мешавад. Лутфан, ду бор пардохт накунед.',
    received: (received) => `${received} расид. Дигар коре лозим нест.`,
    done: 'Дигар коре лозим нест.',
    replaced: {
      heading: 'Ба ҷойи ин пардохт пардохти нав оғоз шуд',
      line: 'Шумо формаро бори дигар фиристодед, ва ба ҷойи ин пардохт пардохти нав оғоз шуд. Лутфан, дар он ҷо пардохт кунед, на дар ин ҷо.',
      link: 'Гузариш ба пардохти нав',
    },
    startAgain: 'Аз нав оғоз кардан',
  },
  uz: {
    expired: 'Toʻlash vaqti tugadi, rekvizitlar endi amal qilmaydi. Toʻlash uchun havola orqali qaytadan boshlang.',
    expiredUnseen: 'Pul yechilmadi. Toʻlash uchun havola orqali qaytadan boshlang.',
    expiredLong:
      'Toʻlash vaqti ancha oldin tugagan, rekvizitlar endi amal qilmaydi. Toʻlash uchun havola orqali qaytadan boshlang.',
    canceledByPayer:
      'Iltimos, bu toʻlov uchun pul yubormang. Fikringizni oʻzgartirsangiz, havola orqali qaytadan boshlang.',
    failed: 'Bu toʻlov boʻyicha pul olmadik, hech narsa yubormang. Toʻlash uchun havola orqali qaytadan boshlang.',
    mayClose: 'Sahifani yopishingiz mumkin: toʻlov baribir hisobga olinadi. Iltimos, ikki marta toʻlamang.',
    received: (received) => `${received} keldi. Boshqa hech narsa qilish shart emas.`,
    done: 'Boshqa hech narsa qilish shart emas.',
    replaced: {
      heading: 'Bu toʻlov oʻrniga yangisi boshlandi',
      line: 'Siz shaklni qayta yubordingiz va bu toʻlov oʻrniga yangisi boshlandi. Iltimos, bu yerda emas, oʻsha yerda toʻlang.',
      link: 'Yangi toʻlovga oʻtish',
    },
    startAgain: 'Qaytadan boshlash',
  },
}

export type LinkTexts = { readonly replaced: Message; readonly toNewer: string; readonly startAgain: string }

/** The texts that only payments from links have, in a language. */
export const linkTexts = (locale: Locale): LinkTexts => {
  const { replaced, startAgain } = ownTexts[locale]
  // A payer who has already paid gets the same advice as after the time has run out.
  const [, alreadySent = ''] = dictionaries[locale].expired.lines
  const { heading, line, link } = replaced
  return { replaced: { heading, lines: [line, alreadySent] }, toNewer: link, startAgain }
}

const withOwn = (words: Dictionary, own: OwnTexts): Dictionary => {
  const first = (message: Message, line: string): Message => ({ ...message, lines: [line, ...message.lines.slice(1)] })
  const [onItsWay = ''] = words.checking.lines
  return {
    ...words,
    checking: { ...words.checking, lines: [onItsWay, own.mayClose] },
    paid: (received, amount) => {
      const { heading, lines } = words.paid(received, amount)
      const [counts = ''] = lines
      return { heading, lines: lines.length > 1 ? [counts, own.done] : [own.received(received)] }
    },
    expired: first(words.expired, own.expired),
    expiredUnseen: first(words.expiredUnseen, own.expiredUnseen),
    expiredLong: first(words.expiredLong, own.expiredLong),
    canceledByPayer: first(words.canceledByPayer, own.canceledByPayer),
    failed: first(words.failed, own.failed),
  }
}

/** The dictionaries of payments that were started from links. */
export const linkDictionaries: Readonly<Record<Locale, Dictionary>> = {
  en: withOwn(dictionaries.en, ownTexts.en),
  ru: withOwn(dictionaries.ru, ownTexts.ru),
  kk: withOwn(dictionaries.kk, ownTexts.kk),
  tg: withOwn(dictionaries.tg, ownTexts.tg),
  uz: withOwn(dictionaries.uz, ownTexts.uz),
}
