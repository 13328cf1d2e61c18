// Cyrillic letters that look like Latin ones: banks and payers mix them up.
const latin: Readonly<Record<string, string>> = {
  ...{ а: 'a', в: 'b', е: 'e', к: 'k', м: 'm', н: 'h', о: 'o', р: 'p', с: 'c', т: 't', у: 'y', х: 'x' },
}

/** A text in lower case, with all letters that look alike in Latin. */
export const foldLookAlikes = (text: string): string =>
  text.toLowerCase().replace(/[авекмнорстух]/g, (letter) => latin[letter] ?? letter)
