/** Lines of the icons, in a square of 24 by 24. */
const lines = {
  overview: 'M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-4H4zM14 8h6V4h-6z',
  payments: 'M3 7h18v11H3zM3 11h18M7 15h4',
  matching: 'M4 7h9M4 12h6M4 17h9M15 9l3 3-3 3M18 12h-5',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13M20 20l-4.9-4.9',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8M12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5',
  auto: 'M4 5h16v11H4zM9 20h6M12 16v4',
  pause: 'M8 5v14M16 5v14',
  play: 'M7 5l12 7-12 7z',
  keyboard: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M18 10h.01M7 14h10',
  balance: 'M12 4v16M7 20h10M5 7h14M5 7l-2.5 7h5zM19 7l-2.5 7h5z',
  menu: 'M4 7h16M4 12h16M4 17h16',
  download: 'M12 4v11M7.5 11l4.5 4.5 4.5-4.5M5 20h14',
  upload: 'M12 16V5M7.5 9L12 4.5 16.5 9M5 20h14',
  accounts: 'M3 6h18v12H3zM3 10h18M7 14h2M13 14h4',
  shop: 'M4 9l1.5-5h13L20 9M4 9v11h16V9M4 9h16M9 20v-6h6v6',
  rates: 'M4 16l5-5 4 3 7-8M15 6h5v5',
  scales: 'M12 4v16M8 20h8M5 7h14M5 7l-3 7h6zM19 7l-3 7h6z',
  ledger: 'M5 4h14v16H5zM9 4v16M12 9h4M12 13h4',
  settlements: 'M3 15c4-3 6 2 10 0l7-4M3 20c4-3 6 2 10 0l8-5M12 9a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7',
  leaving: 'M4 12h13M12 6l6 6-6 6M21 4v16',
  statements: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4.5 20.5a7.5 7.5 0 0 1 15 0',
  close: 'M6 6l12 12M18 6L6 18',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  minus: 'M6 12h12',
  alert: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  right: 'M9 6l6 6-6 6',
  out: 'M10 5H5v14h5M15 8l4 4-4 4M19 12H9',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  undo: 'M9 7L4 12l5 5M4 12h10a6 6 0 0 1 6 6',
  dispute: 'M5 21V4M5 5h13l-3 4.5L18 14H5',
  file: 'M6 3h8l4 4v14H6zM14 3v5h4',
  claim: 'M4 5h16v11H9l-5 4zM8 9h8M8 12h5',
  plus: 'M12 5v14M5 12h14',
  requests: 'M4 8h13M13 4l4 4-4 4M20 16H7M11 12l-4 4 4 4',
  phone: 'M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM11 18h2',
  bell: 'M6 17V11a6 6 0 0 1 12 0v6l1.5 1.5h-15zM10 21h4',
  shield: 'M12 3l7.5 3v5.5c0 4.5-3 8-7.5 9.5-4.5-1.5-7.5-5-7.5-9.5V6z',
  audit: 'M6 3h12v18H6zM9 8h6M9 12h6M9 16h4',
  pulse: 'M3 12h4l3-8 4 16 3-8h4',
  key: 'M8 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8M12 12h9M17 12v4M20.5 12v3',
  link: 'M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7L12 7M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7L12 17',
  eye: 'M2 12s3.6-6.5 10-6.5S22 12 22 12s-3.6 6.5-10 6.5S2 12 2 12M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6',
  'eye-off':
    'M4 4l16 16M9.5 5.8a10 10 0 0 1 2.5-.3c6.4 0 10 6.5 10 6.5a17 17 0 0 1-3.2 3.9M6.3 7.3A17 17 0 0 0 2 12s3.6 6.5 10 6.5a10 10 0 0 0 4.4-1M9.9 9.9a3 3 0 0 0 4.2 4.2',
} as const

export type IconName = keyof typeof lines

/** A picture next to words that say the same; hidden from screen readers. */
export const Icon = ({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) => (
  <svg
    aria-hidden="true"
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.8}
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={lines[name]} />
  </svg>
)
