// Recognises codes and passwords, from any sender and in any wording.

const codeWords = new Set(
  [
    ...['код', 'коды', 'коди', 'кодыңыз', 'пароль', 'пароля', 'пин', 'пинкод', 'рамз', 'құпиясөз'],
    ...['kod', 'kodi', 'kodu', 'kodunuz', 'kodingiz', 'kody', 'parol', 'paroli', 'pin', 'pincode'],
    ...['code', 'password', 'passcode', 'otp', 'cvv', 'şifre', 'şifreniz', 'sifre', 'sifreniz', 'şifrə', 'şifrəniz'],
    ...['կոդ', 'կոդը', 'կոդն', 'գաղտնաբառ', 'კოდი', 'პაროლი'],
  ].map((word) => word.toLowerCase()),
)

const warnings = [
  ...['никому не', 'не сообщайте', 'не говорите', 'не называйте', 'держите в тайне', 'nikomu ne', 'nikomu ego ne'],
  ...['ne soobsch', 'ne soobsh', 'do not share', 'never share', 'nie udostępniaj', 'hech kimga', 'kimseyle paylaş'],
]

/** How many words after the word for it a code may come. */
const furthest = 6

/** Whether a word may be a code: four to eight letters and digits, with two digits or more. */
const mayBeCode = (word: string): boolean =>
  word.length >= 4 && word.length <= 8 && /^[a-z0-9]+$/.test(word) && /[0-9][a-z]*[0-9]/.test(word)

/** Whether two words may be the groups of a code: `123 456`. */
const areGroups = (first: string, second: string | undefined): boolean =>
  /^\d{2,4}$/.test(first) && second !== undefined && /^\d{2,4}$/.test(second)

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{M}0-9_]+(?:[.,]\d+)*/gu) ?? []

/** Whether a text has a word for codes. */
export const namesCode = (text: string): boolean => wordsOf(text).some((word) => codeWords.has(word))

/** Whether a text gives a code or a password, or says that nobody else may see it. */
export const givesCode = (text: string): boolean => {
  const words = wordsOf(text)
  const lower = text.toLowerCase()
  if (warnings.some((warning) => lower.includes(warning)) && words.some(mayBeCode)) return true
  return words.some((word, index) => {
    if (!codeWords.has(word)) return false
    const [before = ''] = words.slice(Math.max(0, index - 1), index)
    const after = words.slice(index + 1, index + 1 + furthest)
    return mayBeCode(before) || after.some((each, at) => mayBeCode(each) || areGroups(each, after[at + 1]))
  })
}
