import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'
import { decimalMark } from './money.ts'

/** The single colour of actions and selections. */
const ink: MantineColorsTuple = [
  '#eef3fe',
  '#dbe5fb',
  '#b7c9f6',
  '#90aaf2',
  '#6f90ee',
  '#5178e6',
  '#2f5fdc',
  '#1b4fd1',
  '#1a44b0',
  '#173a92',
]

/** From the text of the dark theme to the darkest background. */
const dark: MantineColorsTuple = [
  '#e4eaf1',
  '#b4c0cd',
  '#97a6b6',
  '#66788b',
  '#2c3947',
  '#232e3a',
  '#18212b',
  '#131b24',
  '#0e151c',
  '#0a1016',
]

/** Danger: dark enough for white text in both themes. */
const red: MantineColorsTuple = [
  '#fdf0ef',
  '#fbdcd9',
  '#f7b7b1',
  '#f28f87',
  '#e9675c',
  '#da4539',
  '#c9362c',
  '#b3261e',
  '#991f18',
  '#7d1812',
]

/** The header of a dialog is not the banner of the page, which has only one. */
const plainHeader = { header: { role: 'presentation' } }

/** The look of the components: small, dense, with few shadows. */
export const theme = createTheme({
  primaryColor: 'ink',
  primaryShade: { light: 7, dark: 6 },
  colors: { ink, dark, red },
  fontFamily: "'Inter', 'Segoe UI Variable Text', system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', 'Segoe UI Mono', Menlo, Consolas, monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  headings: { fontWeight: '620' },
  defaultRadius: 6,
  cursorType: 'pointer',
  components: {
    Button: { defaultProps: { size: 'xs' } },
    TextInput: { defaultProps: { size: 'xs' } },
    Select: { defaultProps: { size: 'xs', comboboxProps: { shadow: 'md' } } },
    Textarea: { defaultProps: { size: 'xs' } },
    SegmentedControl: { defaultProps: { size: 'xs' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    CloseButton: { defaultProps: { 'aria-label': 'Close' } },
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { 'aria-label': 'Toggle password visibility' } },
    },
    NumberInput: { defaultProps: { decimalSeparator: decimalMark } },
    Tooltip: { defaultProps: { openDelay: 400, withArrow: true, fz: 'xs' } },
    Drawer: { defaultProps: { transitionProps: { duration: 120 }, attributes: plainHeader } },
    Modal: {
      defaultProps: {
        overlayProps: { backgroundOpacity: 0.35 },
        transitionProps: { duration: 120 },
        centered: true,
        attributes: plainHeader,
      },
    },
  },
})

/** The same colours as in console.css, for the components. */
export const variablesOf: CSSVariablesResolver = () => {
  const shared = {
    '--mantine-color-body': 'var(--surface)',
    '--mantine-color-text': 'var(--text)',
    '--mantine-color-dimmed': 'var(--text-quiet)',
    '--mantine-color-default-border': 'var(--line)',
    '--mantine-color-placeholder': 'var(--text-quiet)',
    '--mantine-color-error': 'light-dark(#c02626, #ff9b9b)',
  }
  return { variables: {}, light: shared, dark: shared }
}
