# Completions of pimem for PowerShell. What fits is answered by the program, so that this file need not
# change with it.

Register-ArgumentCompleter -Native -CommandName pimem -ScriptBlock {
    param($typed, $call, $cursor)
    $before = $call.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor }
    $words = @($before | ForEach-Object {
        if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value }
        else { $_.Extent.Text }
    })
    # Without quotes, which may be open.
    $last = $typed -replace '["'']', ''
    # Before 7.3, an empty argument is dropped.
    $old = $PSNativeCommandArgumentPassing -in $null, 'Legacy'
    $end = if ($last -eq '' -and $old) { '""' } else { $last }
    $encoding = [Console]::OutputEncoding
    [Console]::OutputEncoding = [System.Text.UTF8Encoding]::new()
    try { $answer = @(& pimem __complete @words $end 2>$null) }
    finally { [Console]::OutputEncoding = $encoding }
    $head = if ($last -match '^--[^=]*=') { $Matches[0] } else { '' }
    if ($answer[0] -in ':files', ':directories') {
        $path = $last.Substring($head.Length)
        $found = [System.Management.Automation.CompletionCompleters]::CompleteFilename($path)
        if ($answer[0] -eq ':directories') {
            $found = $found | Where-Object ResultType -EQ 'ProviderContainer'
        }
        return $found | ForEach-Object {
            [System.Management.Automation.CompletionResult]::new(
                $head + $_.CompletionText, $_.ListItemText, $_.ResultType, $_.ToolTip)
        }
    }
    $answer | ForEach-Object {
        $value, $about = $_ -split "`t", 2
        if (-not $about) { $about = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
    }
}
