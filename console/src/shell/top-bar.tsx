import { ActionIcon, Menu, Tooltip, useMantineColorScheme } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { auth } from '../api/auth.ts'
import type { Person } from '../session.ts'
import { pauseLive, useLive } from '../live.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { LanguageItems } from './language-choice.tsx'
import { OrderBox } from './order-box.tsx'
import { SearchBox } from './search-box.tsx'
import { say } from '../language.ts'

const schemes: readonly (readonly ['light' | 'dark' | 'auto', string, IconName])[] = [
  ['light', 'Light', 'sun'],
  ['dark', 'Dark', 'moon'],
  ['auto', 'As the system', 'auto'],
]

const ThemeMenu = () => {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const icon = schemes.find(([scheme]) => scheme === colorScheme)?.[2] ?? 'auto'
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <ActionIcon aria-label="Theme">
          <Icon name={icon} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {schemes.map(([scheme, name, each]) => (
          <Menu.Item
            key={scheme}
            leftSection={<Icon name={each} />}
            rightSection={scheme === colorScheme ? <Icon name="check" size={14} /> : undefined}
            onClick={() => setColorScheme(scheme)}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

const LiveSwitch = () => {
  const { isPaused } = useLive()
  const label = isPaused ? 'Resume live updates' : 'Pause live updates'
  return (
    <Tooltip label={`${label} ( . )`}>
      <button
        type="button"
        className={isPaused ? 'live paused' : 'live'}
        aria-label={label}
        aria-pressed={isPaused}
        onClick={() => pauseLive(!isPaused)}
      >
        <i /> <span>{isPaused ? 'Paused' : 'Live'}</span>
      </button>
    </Tooltip>
  )
}

const signOut = (): void => void auth.signOut().finally(() => location.assign('/console/'))

type Props = { readonly person: Person; readonly onMenu: () => void; readonly onHelp: () => void }

/** The line above all pages: search, live updates, theme, help and the person. */
export const TopBar = ({ person, onMenu, onHelp }: Props) => (
  <section className="top-bar" aria-label="Tools">
    <ActionIcon className="menu-button" aria-label="Pages" onClick={onMenu}>
      <Icon name="menu" size={20} />
    </ActionIcon>
    <search className="search">{person.merchant === undefined ? <SearchBox /> : <OrderBox />}</search>
    <div className="top-actions">
      <LiveSwitch />
      <ThemeMenu />
      <Tooltip label="Keys ( ? )">
        <ActionIcon className="help-button" aria-label="Keys" onClick={onHelp}>
          <Icon name="keyboard" />
        </ActionIcon>
      </Tooltip>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <button type="button" className="person" aria-label={`${person.name}, ${say(person.role)}`}>
            {person.name.slice(0, 1).toUpperCase()}
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            {person.name} · {person.merchant?.name ?? say(person.role)}
          </Menu.Label>
          <Menu.Item component={Link} to="/account" leftSection={<Icon name="key" />}>
            Your account
          </Menu.Item>
          <Menu.Item onClick={onHelp} leftSection={<Icon name="keyboard" />}>
            Keys
          </Menu.Item>
          <LanguageItems />
          <Menu.Divider />
          <Menu.Item onClick={signOut} leftSection={<Icon name="out" />}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  </section>
)
