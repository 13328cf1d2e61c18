/** The product's name with its sign. */
export const Brand = () => (
  <div className="brand">
    <svg aria-hidden="true" viewBox="0 0 32 32" width="24" height="24">
      <rect width="32" height="32" rx="7" className="brand-field" />
      <path d="M10 24V8h7.2a5.4 5.4 0 0 1 0 10.8H13" className="brand-line" />
    </svg>
    Payin
  </div>
)
