import ArgumentParser

struct Completions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Print a script that lets a shell complete command lines.",
        discussion: """
            It completes commands, options and the names of the users that the node knows.

            bash, with the package bash-completion:
              earshot completions bash > ~/.local/share/bash-completion/completions/earshot
            bash, without it, in ~/.bashrc:
              source <(earshot completions bash)
            zsh, where ~/.zshrc has fpath+=(~/.zfunc) before compinit:
              earshot completions zsh > ~/.zfunc/_earshot
            fish:
              earshot completions fish > ~/.config/fish/completions/earshot.fish

            EXAMPLES:
              earshot completions bash
            """)

    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish

        var kind: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }

    @Argument(help: "The shell.")
    var shell: Shell

    func run() throws {
        Output(isJSON: false).line(EarshotProgram.completionScript(for: shell.kind))
    }
}
