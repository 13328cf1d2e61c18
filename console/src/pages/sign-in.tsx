/** What is shown to whoever is not signed in. */
export const SignIn = () => (
  <main className="alone">
    <div className="sign-in">
      <h1>Sign in to Payin</h1>
      <p className="quiet">
        Accounts of the console are not part of this version yet. Operators work with the command line,{' '}
        <code>payin</code>, and their token.
      </p>
    </div>
  </main>
)
