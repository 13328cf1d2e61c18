import { loadLanguage } from './language.ts'

// Texts are also said where modules begin, so the language comes before all else.
void loadLanguage().then(() => import('./app.tsx'))
