/** The languages of the payer's page, the default one first; each has its dictionary in `http/payment-page`. */
export const pageLanguages = ['ru', 'en', 'uz', 'kk', 'tg'] as const
export type PageLanguage = (typeof pageLanguages)[number]
