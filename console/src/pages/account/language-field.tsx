import { Select } from '@mantine/core'
import { language } from '../../language.ts'
import { chooseLanguage, languageChoices } from '../../shell/language-choice.tsx'

/** The language as a field of the account. */
export const LanguageField = () => (
  <Select
    label="Language"
    description="Of the console, its numbers and its dates; everybody chooses their own."
    data={languageChoices}
    value={language}
    allowDeselect={false}
    onChange={(code) => chooseLanguage(code ?? language)}
  />
)
