import { Kbd, Modal } from '@mantine/core'
import type { Area } from './navigation.ts'

const everywhere: readonly (readonly [keys: string, what: string])[] = [
  ['/', 'Search everything'],
  ['?', 'Show these keys'],
  ['.', 'Pause or resume live updates'],
  ['Esc', 'Close what is open'],
]

const inLists: readonly (readonly [keys: string, what: string])[] = [
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open the row'],
]

const inMatching: typeof everywhere = [
  ['Enter', 'Assign the money to the chosen payment'],
  ['1 … 9', 'Choose a payment'],
  ['s', 'Split over payments'],
  ['i', 'Belongs to no payment'],
  ['p', 'Park for later'],
  ['u', 'Undo the last decision'],
  ['x', 'Select the row'],
  ['J K', 'Select further rows'],
]

const Keys = ({ title, rows }: { readonly title: string; readonly rows: typeof everywhere }) => (
  <section>
    <h3>{title}</h3>
    <dl className="keys">
      {rows.map(([keys, what]) => (
        <div key={keys}>
          <dt>
            {keys.split(' ').map((key) => (
              <Kbd key={key} size="xs">
                {key}
              </Kbd>
            ))}
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  </section>
)

type Props = { readonly areas: readonly Area[]; readonly opened: boolean; readonly onClose: () => void }

/** All keys, in a dialog. */
export const KeyboardHelp = ({ areas, opened, onClose }: Props) => (
  <Modal opened={opened} onClose={onClose} title="Keys" size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
    <div className="key-groups">
      <Keys title="Everywhere" rows={everywhere} />
      <Keys title="In lists" rows={inLists} />
      {areas.some(({ pages }) => pages.some(({ path }) => path === '/matching')) && (
        <Keys title="In matching" rows={inMatching} />
      )}
      <Keys title="Pages" rows={areas.flatMap(({ pages }) => pages.map(({ keys, name }) => [keys, name] as const))} />
    </div>
  </Modal>
)
