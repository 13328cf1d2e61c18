import { Menu } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { auth } from '../api/auth.ts'
import { followAccount, language, languages, nameOfLanguage, say } from '../language.ts'
import { Icon } from '../parts/icon.tsx'

/** Shows everything in the language of the account that is signed in. */
export const useAccountLanguage = (isSignedIn: boolean): void => {
  const { data } = useQuery({ queryKey: ['account', 'session'], queryFn: auth.ownSession, enabled: isSignedIn })
  useEffect(() => {
    if (data !== undefined) followAccount(data.user.language ?? null)
  }, [data])
}

/** Makes a language that of the account. */
export const chooseLanguage = (code: string): void => {
  auth.setLanguage(code).then(
    () => followAccount(code),
    (error: Error) => notifications.show({ color: 'red', title: 'Not done', message: say(error.message) }),
  )
}

/** All languages, as the choices of a field. */
export const languageChoices = languages.map((code) => ({ value: code, label: nameOfLanguage(code) }))

/** The languages as items of a menu. */
export const LanguageItems = () => (
  <>
    <Menu.Divider />
    <Menu.Label>Language</Menu.Label>
    {languageChoices.map(({ value, label }) => (
      <Menu.Item
        key={value}
        lang={value}
        rightSection={value === language ? <Icon name="check" size={14} /> : undefined}
        onClick={() => chooseLanguage(value)}
      >
        {label}
      </Menu.Item>
    ))}
  </>
)
