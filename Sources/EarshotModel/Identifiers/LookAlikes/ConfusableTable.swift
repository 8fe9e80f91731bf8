/// Which scalars look like which: the part of Unicode's confusables that matters in names.
///
/// Source: `confusables.txt` of UTS 39, Unicode 15.0, as ICU 72 applies it. The table keeps letters, digits and marks
/// of all scripts that look like ASCII letters or digits; those of Latin, Greek, Cyrillic, Armenian, Cherokee, Coptic
/// and kana that look like others; quotation marks, dots, commas and colons. It leaves out other symbols, punctuation,
/// and Arabic and CJK compatibility forms. Spaces, dashes, fullwidth, circled and mathematical letters need no table:
/// `Unicode.Scalar.prototype` computes them.
///
/// One change applies to all entries: prototypes are in lower case, and `i`, `m`, `w`, `0` are `l`, `rn`, `vv`, `o` as
/// in `Skeleton`. Two things are added: a letter without a prototype in UTS 39 gets the prototype of its capital
/// (`\u{43d}` looks like `h`), and Latin small capitals get their letters.
///
/// Data © Unicode, Inc., used under the Unicode License (https://www.unicode.org/license.txt).
enum ConfusableTable {
    /// The prototype of a scalar, decomposed (normalization form D); `nil` for one that stands for itself.
    static func prototype(of scalar: Unicode.Scalar) -> [Unicode.Scalar]? { prototypes[scalar] }

    /// How many scalars have a prototype.
    static var count: Int { prototypes.count }

    // Read once.
    private static let prototypes = read(lines)

    private static func read(_ text: String) -> [Unicode.Scalar: [Unicode.Scalar]] {
        var result: [Unicode.Scalar: [Unicode.Scalar]] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            let prototype = Array(words[0].unicodeScalars)
            for word in words.dropFirst() {
                guard let scalar = UInt32(word, radix: 16).flatMap(Unicode.Scalar.init) else {
                    preconditionFailure("no scalar: \(word)")
                }
                precondition(result.updateValue(prototype, forKey: scalar) == nil, "twice in the table: \(word)")
            }
        }
        return result
    }

    /// A prototype, then the hexadecimal code points of the scalars that look like it.
    private static let lines = """
        ' B4 2B9 2BB 2BC 2BD 2BE 2C8 2CA 2CB 2F4 384 55A 55D 5D9 5F3 7F4 7F5 144A 16CC 1FBD 1FBF 1FFE 2018 2019 201B
        ' 2032 2035 A78C 16F51 16F52
        '' 2BA 2DD 2EE 2F6 5F2 5F4 1CD3 201C 201D 201F 2033 2036 3003
        'b 181
        'd 18A
        'n 149
        'p 1A4
        't 1AC
        'y 1B3
        ''' 2034 2037
        '''' 2057
        , B8 60D 66B 201A A4F9
        - 2D7 6D4 2043 2212 2796 2CBA 2CBB
        -. A4FE
        . 660 6F0 701 702 2024 A4F8 A60E 10A50 1D16D
        ., A4FB
        .. 2025 A4FA
        ... 2026
        2 1A7 1A8 3E8 3E9 14BF 1D24 A644 A645 A6EF A75A A75B 1FBF2
        2\u{335} 1BB
        3 1B7 21C 21D 25C 292 417 437 4E0 4E1 1D08 2CCC 2CCD A76A A76B A7AB 118CA 16F3B 1FBF3
        3\u{326} 498 499
        4 13CE AB9E 118AF 118CF 1FBF4
        5 1BC 118BB 118DB 1FBF5
        6 431 13EE 2CD2 2CD3 ABBE 118D5 1FBF6
        7 104D2 104FA 118C6 1FBF7
        8 222 223 9EA A6A B03 1031A 1E8CB 1FBF8
        9 9ED A67 B68 D6D 2CCA 2CCB A76E A76F 118AC 118CC 118D6 1FBF9
        : 2D0 2F8 589 5C3 703 704 903 A83 16EC 1803 1809 205A 2236 A4FD A789
        a 251 391 3B1 410 430 13AA 15C5 1D00 A4EE AB7A 102A0 16F40
        aa A732 A733
        ae C6 E6 4D4 4D5
        ao A734 A735
        au A736 A737
        av A738 A739 A73A A73B
        ay A73C A73D
        a\u{309} 1E9A
        b 184 185 299 392 412 42C 432 44C 13CF 13F4 13FC 1472 15AF 15F7 1C80 212C A4D0 A7B4 AB9F 10282 102A1 10301
        b' 1488
        bl 42B 44B
        b\u{304} 182 183 411
        b\u{314} 253
        b\u{335} 180 462 463 48C 48D 1C87
        c 3F2 3F9 421 441 13DF 1C83 1D04 2102 212D 216D 217D 2CA4 2CA5 A4DA ABAF 102A2 10302 10415 1043D 1051C 118E9
        c 118F2
        c' 187 188
        c\u{326} 4AA 4AB
        c\u{338} 23C
        d 501 13A0 13E7 146F 15DE 15EA 1D05 2145 2146 216E 217E A4D2 A4D3 AB70 ABB7
        d' 1487
        d3 2A4
        dz 1F1 1F2 1F3 2A3
        d\u{291} 2A5
        d\u{304} 18C
        d\u{314} 257
        d\u{328} 256
        d\u{335} D0 110 111 189
        dz\u{306} 1C4 1C5 1C6
        e 395 415 435 4BD 13AC 1D07 212F 2130 2147 2D39 A4F0 AB32 AB7C 10286 118A6 118AE 118CE
        e\u{328} 4BF
        e\u{338} 246 247
        f 17F 3DC 3DD 584 15B4 1E9D 2131 A4DD A730 A798 A799 AB35 10287 102A5 10525 118A2 118C2
        ff FB00
        fl FB01 FB02
        f\u{14b} 2A9
        f\u{326} 191 192
        f\u{334} 1D6E
        ffl FB03 FB04
        g 18D 261 262 50C 50D 581 13C0 13F3 13FB 1D83 210A A4D6 AB90
        g' 193
        g\u{314} 260
        g\u{335} 1E4 1E5
        h 29C 397 41D 43D 4BB 570 13BB 13C2 157C 210B 210C 210D 210E 2C8E 2C8F A4E7 AB8B AB92 102CF
        h\u{314} 266 13F2 13FA A695
        h\u{326} 4C7 4C8 4C9 4CA
        h\u{329} 4A2 4A3 2C67 2C68
        h\u{335} 126 127 45B
        j 237 29D 37F 3F3 408 458 575 13AB 148D 1D0A 2149 A4D9 A7B2 AB7B
        j\u{335} 248 249
        k 39A 41A 13E6 16D5 1D0B 2C94 A4D7 10518
        k' 198
        k\u{314} 199
        k\u{329} 49A 2C69 2C6A
        k\u{335} 49E A740 A741
        l 131 196 1C0 269 26A 29F 37A 399 3B9 406 456 4C0 4CF 5D5 5DF 627 661 6F1 7CA 13A5 13DE 14AA 16C1 2110 2111
        l 2112 2113 2139 2148 2160 216C 2170 217C 2C92 2C93 2CD0 2CD1 2D4F A4E1 A4F2 A647 AB75 ABAE 1028A 10309 10320
        l 1041B 10443 10526 118A3 118B2 118C3 118D2 16F16 16F28 1E8C7 1FBF1
        l' 5F1
        l3 26E
        lj 132 133 1C7 1C8 1C9
        ll 1C1 5F0 2161 2171
        lo 42E 44E
        ls 2AA
        lv 2163 2173
        lx 2168 2178
        lz 2AB
        l\u{b7} 13F 140
        l\u{328} 26D
        l\u{334} 26B
        l\u{335} 197 19A 268 1D7B 1D7C
        l\u{338} 141 142
        lll 2162 2172
        n 274 39D 578 57C 2115 2C9A 2C9B A4E0 10513
        nj 1CA 1CB 1CC
        n\u{326} 19D 272
        n\u{328} 273
        n\u{329} 19E 3B7
        n\u{334} 1D70
        o 39F 3BF 3C3 41E 43E 555 585 5E1 647 665 6BE 6C1 6D5 6F5 7C0 966 9E6 A66 AE6 B20 B66 BE6 C02 C66 C82 CE6 D02
        o D20 D66 D82 E50 ED0 101D 1040 10FF 12D0 1C82 1D0F 1D11 2134 2C9E 2C9F 2D54 A4F3 AB3D 10292 102AB 10404 1042C
        o 104C2 104EA 10516 114D0 118B5 118C8 118D7 118E0 1FBF0
        o' 13A4
        oe 152 153 276
        oo A698 A699 A74E A74F
        o\u{31b} AB74
        o\u{335} 19F 275 398 3B8 3D1 3F4 472 473 4E8 4E9 13BE 13EB A74A A74B AB8E ABBB
        o\u{338} D8 F8 AB3E
        p 3A1 3C1 3F1 420 440 13E2 146D 1D18 1D29 2119 2CA2 2CA3 A4D1 ABB2 10295
        p' 1486
        p\u{314} 1A5
        p\u{335} 1D7D
        q 51B 563 566 211A 2D55 A7AF
        q\u{314} 2A0
        r 1A6 280 433 13A1 13D2 1587 1D26 211B 211C 211D 2C85 A4E3 AB47 AB48 AB71 AB81 ABA2 104B4 104DC 16F35
        r' 491
        rn B5 39C 3BC 3FA 3FB 41C 13B7 15F0 16D6 1D0D 2133 216F 217F 2C98 2C99 A4DF 102B0 10311 11700 118E3
        r\u{328} 27D
        r\u{329} 27C
        r\u{334} 1D72
        r\u{335} 24D 493
        rn\u{326} 271 4CD
        rn\u{334} 1D6F
        s 1BD 405 455 54F 57F 13D5 13DA A4E2 A731 ABA5 ABAA 10296 10420 10448 118C1 16F3A
        st FB06
        s\u{328} 282
        s\u{334} 1D74
        t 3A4 3C4 422 442 13A2 1C84 1C85 1D1B 2CA6 2CA7 A4D4 AB72 10297 102B1 10315 118BC 16F0A
        t3 A728 A729
        tf A777
        ts 2A6
        t\u{255} 2A8
        t\u{283} 2A7
        t\u{314} 1AD
        t\u{328} 1AE 288
        t\u{329} 4AC 4AD
        t\u{334} 1D75
        t\u{335} 166 167
        t\u{338} 23E 2C66
        u 28B 3C5 54D 57D 1200 144C 1D1C A4F4 A79F AB4E AB52 104CE 104F6 118B8 118D8 16F42
        u' 1467
        ue 1D6B
        uo AB63
        u\u{335} 244 289 13CC 1D7E AB9C
        v 3BD 474 475 5D8 667 6F7 13D9 142F 1D20 2164 2174 2D38 A4E6 A6DF ABA9 1051D 11706 118A0 118C0 16F08
        vl 2165 2175
        vv 26F 461 51C 51D 561 13B3 13D4 1D21 A4EA AB83 ABA4 1170A 1170E 1170F 118E6 118EF
        vll 2166 2176
        vv\u{326} A761
        vlll 2167 2177
        vv\u{486}\u{487} 47D
        x 3A7 3C7 425 445 1541 157D 16B7 2169 2179 2CAC 2CAD 2D5D A4EB A7B3 AB53 AB55 10290 102B4 10317 10322 10527
        x 118EC
        xl 216A 217A
        x\u{329} 4B2 4B3
        xll 216B 217B
        y 263 28F 3A5 3B3 3D2 423 443 4AE 4AF 10E7 13A9 13BD 1D8C 1EFF 213D 2CA8 2CA9 A4EC AB5A AB79 AB8D 102B2 118A4
        y 118DC 16F43
        y\u{314} 1B4
        y\u{335} 24E 24F 4B0 4B1
        z 396 3B6 13C3 1D22 2124 2128 A4DC AB93 102F5 118A9 118C4 118C9 118E5
        z\u{326} 224 225
        z\u{328} 290
        z\u{334} 1D76
        z\u{335} 1B5 1B6
        \u{b7} A78F
        \u{ba} 1D52
        \u{df} 3B2 3D0 13F0 13F8 A7B5
        \u{fe} 1BF 3F7 3F8
        \u{138} 3BA 3F0 43A 2C95 ABB6
        \u{138}\u{329} 49B
        \u{138}\u{335} 49F
        \u{195} 50A 50B
        \u{1ab} 13BF AB8F
        \u{1dd} 259 4D9
        \u{1dd}o 1D14
        \u{1dd}\u{2de} 25A
        \u{1dd}o\u{335} AB42
        \u{1dd}o\u{338} AB41
        \u{24b} 1D90
        \u{254} 37B 3FD 1D10 2183 2184
        \u{254}e AB62
        \u{254}\u{338} AB3F
        \u{259} 4D8
        \u{25b} 510 13CB
        \u{270} 57A
        \u{278} 3C6 3D5 444 2CAB
        \u{27e}\u{334} 1D73
        \u{283} 3A3 3C2 3DB AB4D
        \u{28a}\u{335} 1D7F
        \u{28c} 39B 3BB 41B 43B 1D27 1D2B 2C96 2C97
        \u{28c}\u{326} 4C5 4C6
        \u{28d} 43C AB87
        \u{28d}\u{326} 4CE
        \u{298} A668 A669
        \u{29a} A79D
        \u{2c1} 2E4
        \u{2c9}b 44A
        \u{2c9}bl A651
        \u{300} 953
        \u{301} 64E 954
        \u{302} 311 1CD0
        \u{303} 342 653
        \u{304} 305 1CD2
        \u{306} 30C 36E A67C
        \u{306}\u{307} 310
        \u{307} 358
        \u{309} 302C
        \u{30a} 366 652 2DEA 309A
        \u{30b} 64B
        \u{30e} 1CDA
        \u{313} 315 64F
        \u{316} 1CED
        \u{323} 1CDD
        \u{324} 1CDE
        \u{325} 302D
        \u{326} 321 327 339
        \u{328} 322 345 1AB7
        \u{329} 1CDC
        \u{32b} 1CD5
        \u{32d} 1CD9
        \u{32e} 1CD8
        \u{331} 320 952
        \u{333} 347
        \u{335} 336
        \u{338} 337
        \u{350} 357
        \u{363} 2DF6
        \u{364} 2DF7
        \u{368} 2DED
        \u{36f} 2DEF
        \u{3b3} 413 13B1 2C84
        \u{3b3}' 490
        \u{3b3}\u{335} 492
        \u{3b4} 2C86 2C87
        \u{3c0} 3D6 41F 43F 1D28 2CA0 2CA1
        \u{3c6} 424 553 583 2CAA
        \u{3c8} 470 471 2CAE 2CAF
        \u{3c9} 2CB1 A64D A7B7
        \u{3d7} 2CE4
        \u{3ed} 2CDC 2CDD
        \u{436}\u{329} 496 497
        \u{438} 376
        \u{438}\u{326}\u{300} 48A
        \u{438}\u{326}\u{306} 48B
        \u{448} 2CBC 2CBD
        \u{44a}l A650
        \u{459} AB60
        \u{461} 13C7 AB97
        \u{461}\u{486}\u{487} 47C
        \u{4b7} 4CB 4CC
        \u{4bd}\u{328} 4BE
        \u{565}\u{582} 587
        \u{650} 317
        \u{670} 30D
        \u{6db} 1AB4 20DB
        \u{1206} 544 574
        \u{1261} 54C
        \u{12ae} 53B 56B
        \u{1323} 54A
        \u{1d0e} 377 438
        \u{1d19} 44F
        \u{1d34} 1D78
        \u{1d4b} 1D9F
        \u{1d4d} 1DA2
        \u{1ddf} 2DE8
        \u{1e9f} 3B4 56E
        \u{20e9} A66F
        \u{2202}\u{335} F0
        \u{276c} 304F
        \u{2c76} 370 371 13A8 13B0 AB78 AB80
        \u{2dec} 1DEE
        \u{3078} 30D8
        \u{30fc} A7F7
        \u{4e8c} 30CB
        \u{4ebb} 30A4
        \u{516b} 30CF
        \u{529b} 30AB
        \u{535c} 30C8
        \u{53e3} 30ED
        \u{5915} 30BF
        \u{5de5} 30A8
        \u{a4d5} 287 A7B1
        \u{a4e4} A79E
        \u{a64d} A7B6
        \u{a727} A795
        \u{a73f} 37D 3FF
        \u{a793} 25B 3B5 3F5 404 454 511 2C88 2C89 AB9B
        \u{fb05} FB05
        \u{102a8} A69A A69B
        \u{1043a} A79A A79B
        """
}
