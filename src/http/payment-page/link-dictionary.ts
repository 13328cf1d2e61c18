import type { Dictionary } from './dictionary-en.ts'
import type { Message } from './message.ts'
import { remember } from './formats.ts'
import { dictionaries, type Locale } from './languages.ts'

/** Texts of a payment that was started from a link: there may be no shop to go back to, and none that is notified. */
const english = {
  /** Where to start again: what the dictionary says, and what it is here. */
  where: ['in the shop', 'at the payment link'] as readonly [string, string],
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
    where: ['в магазине', 'по ссылке'],
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
    where: ['дүкенде', 'сілтеме арқылы'],
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
    where: ['дар мағоза', 'бо пайванд'],
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
    where: ['doʻkonda', 'havola orqali'],
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

const withOwn = (locale: Locale): Dictionary => {
  const words: Dictionary = dictionaries[locale]
  const own = ownTexts[locale]
  const elsewhere = ({ heading, lines: [first = '', ...others] }: Message): Message => ({
    heading,
    lines: [first.replace(...own.where), ...others],
  })
  const [onItsWay = ''] = words.checking.lines
  return {
    ...words,
    checking: { ...words.checking, lines: [onItsWay, own.mayClose] },
    paid: (received, amount) => {
      const { heading, lines } = words.paid(received, amount)
      const [counts = ''] = lines
      return { heading, lines: lines.length > 1 ? [counts, own.done] : [own.received(received)] }
    },
    expired: elsewhere(words.expired),
    expiredUnseen: elsewhere(words.expiredUnseen),
    expiredLong: elsewhere(words.expiredLong),
    canceledByPayer: elsewhere(words.canceledByPayer),
    failed: elsewhere(words.failed),
  }
}

/** The dictionary of payments that were started from links. */
export const linkDictionary = remember(withOwn)
